import { notifications } from "@mantine/notifications";
import { t } from "../texts.ts";

/** Messages that disappear by themselves. Screen readers announce them. */
export const toast = {
  done: (message: string): void => {
    notifications.show({ message, color: "teal", closeButtonProps: { "aria-label": t("shell.close") } });
  },
  failed: (error: Error): void => {
    notifications.show({
      title: t("shell.failed"),
      message: error.message,
      color: "red",
      autoClose: 10_000,
      closeButtonProps: { "aria-label": t("shell.close") },
    });
  },
};

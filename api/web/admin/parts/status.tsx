import { Badge, Text } from "@mantine/core";
import { labelOf, t } from "../texts.ts";

export const None = () => (
  <Text span c="dimmed" aria-label={t("value.none")}>
    –
  </Text>
);

export const YesNo = ({ value }: { readonly value: boolean }) => (
  <Badge variant="light" color={value ? "teal" : "gray"}>
    {value ? t("value.yes") : t("value.no")}
  </Badge>
);

const colors: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "active",
      "open",
      "paid",
      "approved",
      "completed",
      "sent",
      "published",
      "visible",
      "up",
      "credit",
      "settled",
      "accepted",
    ].map((one) => [one, "teal"]),
  ),
  ...Object.fromEntries(
    [
      "pending",
      "placed",
      "processing",
      "scheduled",
      "sending",
      "held",
      "created",
      "answered",
      "hidden",
      "deletion_pending",
      "requested",
    ].map((one) => [one, "yellow"]),
  ),
  ...Object.fromEntries(
    ["suspended", "failed", "declined", "cancelled", "removed", "down", "debit", "refunded", "returned"].map((one) => [
      one,
      "red",
    ]),
  ),
};

/** One of a few values, by its color, too. */
export const Status = ({ value }: { readonly value: string }) => (
  <Badge variant="light" color={colors[value] ?? "gray"}>
    {labelOf("values", value)}
  </Badge>
);

import { useConfirm } from "../admin/parts/confirm.tsx";
import { toast } from "../admin/parts/toast.ts";
import { t } from "../admin/texts.ts";
import { useWrite } from "./data.ts";

/** Returns a function that asks whether to end a contract, and gives notice. `other`: with whom it is. */
export function useGiveNotice(): (id: string, other: string) => Promise<void> {
  const confirm = useConfirm();
  const end = useWrite("giveNotice", { onSuccess: () => toast.done(t("studio.ended")) });
  return async (id, other) => {
    const [title, action] = [t("studio.end_with", { name: other }), t("studio.end")];
    if (await confirm({ title, consequence: t("studio.end_effect"), action, isDanger: true }))
      end.mutate({ params: { id } });
  };
}

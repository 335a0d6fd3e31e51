import { Button } from "@mantine/core";
import { useState } from "react";
import { toast } from "../../admin/parts/toast.ts";
import { labelOf, t } from "../../admin/texts.ts";
import { AgencyPage, useAgencyId } from "../agency.tsx";
import { useRead, useWrite } from "../data.ts";
import { DialogButton, FormDialog, UserInput } from "../form.tsx";
import { List, usePage } from "../list.tsx";
import { useUser } from "../user.tsx";
import { nameOf } from "../words.ts";

/** Who acts for an agency. Its owner adds and removes; others can leave. */
export default function Staff() {
  const params = useAgencyId();
  const me = useUser();
  const staff = useRead("listStaff", { params, ...usePage() });
  const agency = useRead("getAgency", { params });
  const remove = useWrite("removeStaff", { onSuccess: () => toast.done(t("studio.removed")) });
  const isOwner = agency.data?.my_role === "owner";
  return (
    <AgencyPage
      title={t("studio.staff")}
      actions={
        isOwner && <DialogButton label={t("studio.add")}>{(close) => <AddDialog onClose={close} />}</DialogButton>
      }
    >
      {() => (
        <List
          of={staff}
          label={t("studio.staff")}
          empty={t("parts.none")}
          keyOf={({ user }) => user.id}
          cells={{ user: ({ user }) => <bdi>{nameOf(user)}</bdi>, role: ({ role }) => labelOf("values", role) }}
          actions={({ user, role }) =>
            role === "staff" && (isOwner || user.id === me.id) ? (
              <Button
                size="compact-sm"
                variant="light"
                color="red"
                onClick={() => remove.mutate({ params: { ...params, userId: user.id } })}
              >
                {isOwner ? t("studio.remove") : t("studio.leave")}
              </Button>
            ) : null
          }
        />
      )}
    </AgencyPage>
  );
}

function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const [user_id, setUser] = useState<string | null>(null);
  const params = useAgencyId();
  const add = useWrite("addStaff", { onError: () => {} });
  return (
    <FormDialog
      title={t("studio.add")}
      send={() => add.mutateAsync({ params, body: { user_id: user_id ?? "" }, repeat: true })}
      done={t("studio.added")}
      isReady={user_id !== null}
      onClose={onClose}
    >
      <UserInput label={labelOf("fields", "user")} value={user_id} onChange={setUser} />
    </FormDialog>
  );
}

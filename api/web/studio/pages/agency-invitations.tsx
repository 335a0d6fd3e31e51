import { Button, NumberInput } from "@mantine/core";
import { useState } from "react";
import { formatTime } from "../../admin/parts/format.ts";
import { Status } from "../../admin/parts/status.tsx";
import { toast } from "../../admin/parts/toast.ts";
import { t } from "../../admin/texts.ts";
import { AgencyPage, useAgencyId } from "../agency.tsx";
import { useRead, useWrite } from "../data.ts";
import { DialogButton, FormDialog, UserInput } from "../form.tsx";
import { List, usePage } from "../list.tsx";
import { nameOf, percent } from "../words.ts";

/** Whom an agency has invited, and what became of it. */
export default function AgencyInvitations() {
  const invitations = useRead("listAgencyInvitations", { params: useAgencyId(), ...usePage() });
  const withdraw = useWrite("withdrawInvitation", { onSuccess: () => toast.done(t("studio.withdrawn")) });
  return (
    <AgencyPage
      title={t("studio.invitations")}
      actions={<DialogButton label={t("studio.invite")}>{(close) => <InviteDialog onClose={close} />}</DialogButton>}
    >
      {() => (
        <List
          of={invitations}
          label={t("studio.invitations")}
          empty={t("studio.none_invited")}
          keyOf={({ id }) => id}
          cells={{
            user: ({ user }) => <bdi>{nameOf(user)}</bdi>,
            status: ({ status }) => <Status value={status} />,
            commission: ({ commission_basis_points }) => percent(commission_basis_points),
            term_months: ({ term_months }) => term_months ?? "–",
            created_at: ({ created_at }) => formatTime(created_at),
            expires_at: ({ expires_at }) => formatTime(expires_at),
          }}
          actions={({ id, status }) =>
            status === "pending" ? (
              <Button size="compact-sm" variant="default" onClick={() => withdraw.mutate({ params: { id } })}>
                {t("studio.withdraw")}
              </Button>
            ) : null
          }
        />
      )}
    </AgencyPage>
  );
}

function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const [user_id, setUser] = useState<string | null>(null);
  const [share, setShare] = useState<number | string>(10);
  const [months, setMonths] = useState<number | string>("");
  const params = useAgencyId();
  const invite = useWrite("inviteHost", { onError: () => {} });
  const body = {
    user_id: user_id ?? "",
    commission_basis_points: Math.round(Number(share) * 100),
    term_months: months === "" ? null : Number(months),
  };
  return (
    <FormDialog
      title={t("studio.invite")}
      send={() => invite.mutateAsync({ params, body })}
      done={t("studio.invited_them")}
      isReady={user_id !== null}
      onClose={onClose}
    >
      <UserInput label={t("studio.host")} value={user_id} onChange={setUser} />
      <NumberInput
        label={t("studio.commission_percent")}
        description={t("studio.commission_hint")}
        value={share}
        onChange={setShare}
        min={0}
        max={100}
        decimalScale={2}
        hideControls
      />
      <NumberInput
        label={t("studio.months")}
        description={t("studio.months_hint")}
        value={months}
        onChange={setMonths}
        min={1}
        max={120}
        allowDecimal={false}
        hideControls
      />
    </FormDialog>
  );
}

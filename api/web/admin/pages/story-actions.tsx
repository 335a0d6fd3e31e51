import { Button, Group, Modal, NumberInput, Text, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, type ReactNode, useState } from "react";
import { useCan } from "../account.tsx";
import { fieldErrors, useWrite } from "../data.ts";
import { useConfirm } from "../parts/confirm.tsx";
import { formatNumber } from "../parts/format.ts";
import { endOf, PeriodInput, usualPeriod } from "../parts/period.tsx";
import { toast } from "../parts/toast.ts";
import { t } from "../texts.ts";
import type { User } from "./story.tsx";

interface Props {
  readonly of: User;
}

/** What an administrator may do with an account, by their permissions. */
export function Actions({ of: user }: Props) {
  const can = useCan();
  if (user.status === "deleted") return null;
  return (
    <>
      {can("users.adjust_balance") && <AdjustBalance of={user} />}
      {can("users.write") && <EndSessions of={user} />}
      {can("users.write") && user.email && !user.email_verified && <Verify of={user} address="email" />}
      {can("users.write") && user.mobile && !user.mobile_verified && <Verify of={user} address="mobile" />}
      {can("users.suspend") && (user.status === "suspended" ? <Reactivate of={user} /> : <Suspend of={user} />)}
    </>
  );
}

interface DialogProps {
  readonly title: string;
  readonly isDanger?: boolean;
  readonly isPending: boolean;
  readonly onSubmit: () => Promise<unknown>;
  readonly children: ReactNode;
}

/** A button that opens a form. It closes when the form was sent. */
function FormButton({ title, isDanger = false, isPending, onSubmit, children }: DialogProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit().then(close, () => {});
  };
  return (
    <>
      <Button {...(isDanger ? { color: "red" } : { variant: "default" })} onClick={open}>
        {title}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={title}
        closeButtonProps={{ "aria-label": t("shell.close") }}
        centered
      >
        <form onSubmit={submit}>
          {children}
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={close}>
              {t("confirm.cancel")}
            </Button>
            <Button type="submit" color={isDanger ? "red" : "violet"} loading={isPending}>
              {title}
            </Button>
          </Group>
        </form>
      </Modal>
    </>
  );
}

function Suspend({ of: { id, full_name } }: Props) {
  const [reason, setReason] = useState("");
  const [period, setPeriod] = useState(usualPeriod);
  const suspend = useWrite("suspendUser", { onError: () => {} });
  const errors = fieldErrors(suspend.error);
  const send = async () => {
    await suspend.mutateAsync({ params: { id }, body: { reason, until: endOf(period) } });
    toast.done(t("story.suspended", { name: full_name }));
  };
  return (
    <FormButton title={t("story.suspend")} isDanger isPending={suspend.isPending} onSubmit={send}>
      <Text size="sm" mb="md">
        {t("story.suspend_effect", { name: full_name })}
      </Text>
      <PeriodInput value={period} onChange={setPeriod} />
      <Textarea
        label={t("confirm.reason")}
        description={t("story.reason_hint")}
        required
        maxLength={500}
        value={reason}
        error={errors.reason ?? suspend.error?.message}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormButton>
  );
}

function AdjustBalance({ of: { id, full_name, wallet } }: Props) {
  const [amount, setAmount] = useState<number | "">("");
  const [reason, setReason] = useState("");
  const adjust = useWrite("adjustBalance", { onError: () => {} });
  const errors = fieldErrors(adjust.error);
  const send = async () => {
    const { status } = await adjust.mutateAsync({ params: { id }, body: { amount: Number(amount), reason } });
    toast.done(status === "pending" ? t("story.adjustment_waits") : t("story.adjusted"));
    setAmount("");
  };
  return (
    <FormButton title={t("story.adjust")} isPending={adjust.isPending} onSubmit={send}>
      <Text size="sm" mb="md">
        {t("story.adjust_effect", { name: full_name, value: formatNumber(wallet.balance) })}
      </Text>
      <NumberInput
        label={t("story.amount")}
        description={t("story.amount_hint")}
        required
        allowDecimal={false}
        hideControls
        value={amount}
        error={errors.amount ?? (errors.reason ? undefined : adjust.error?.message)}
        onChange={(value) => setAmount(value === "" ? "" : Number(value))}
        mb="sm"
      />
      <Textarea
        label={t("confirm.reason")}
        description={t("story.adjust_reason_hint")}
        required
        maxLength={200}
        value={reason}
        error={errors.reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormButton>
  );
}

function Verify({ of: { id, full_name }, address }: { readonly of: User; readonly address: "email" | "mobile" }) {
  const confirm = useConfirm();
  const verify = useWrite("verifyUser");
  const act = async () => {
    const title = t(`story.verify_${address}`);
    if (!(await confirm({ title, consequence: t("story.verify_effect", { name: full_name }), action: title }))) return;
    await verify.mutateAsync({ params: { id }, body: { address } });
    toast.done(t("story.done"));
  };
  return (
    <Button variant="default" onClick={() => void act()}>
      {t(`story.verify_${address}`)}
    </Button>
  );
}

function EndSessions({ of: { id, full_name, sessions } }: Props) {
  const confirm = useConfirm();
  const end = useWrite("endUserSessions");
  if (sessions.total === 0) return null;
  const act = async () => {
    const title = t("story.end_sessions");
    const consequence = t("story.end_sessions_effect", { name: full_name, count: sessions.total });
    if (!(await confirm({ title, consequence, action: title, isDanger: true }))) return;
    const { ended } = await end.mutateAsync({ params: { id } });
    toast.done(t("story.ended_sessions", { count: ended }));
  };
  return (
    <Button variant="default" onClick={() => void act()}>
      {t("story.end_sessions")}
    </Button>
  );
}

function Reactivate({ of: { id, full_name } }: Props) {
  const confirm = useConfirm();
  const reactivate = useWrite("reactivateUser");
  const act = async () => {
    const title = t("story.reactivate");
    const consequence = t("story.reactivate_effect", { name: full_name });
    if (!(await confirm({ title, consequence, action: title }))) return;
    await reactivate.mutateAsync({ params: { id } });
    toast.done(t("story.reactivated", { name: full_name }));
  };
  return (
    <Button color="teal" onClick={() => void act()}>
      {t("story.reactivate")}
    </Button>
  );
}

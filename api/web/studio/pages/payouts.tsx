import { Alert, Anchor, Button, NumberInput, Select, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { newKey } from "../../../../shared/client/timing.ts";
import { Async } from "../../admin/parts/async.tsx";
import { formatMoney, formatNumber, formatTime } from "../../admin/parts/format.ts";
import { PageTitle } from "../../admin/parts/page-title.tsx";
import { Facts, Section } from "../../admin/parts/section.tsx";
import { Status } from "../../admin/parts/status.tsx";
import { labelOf, t } from "../../admin/texts.ts";
import { type DataOf, useRead, useWrite } from "../data.ts";
import { DialogButton, FormDialog } from "../form.tsx";
import { List, usePage } from "../list.tsx";

type Method = DataOf<"listPayoutMethods">[number];

/** Earnings paid out as money: what was requested, and what it takes to request more. */
export default function Payouts() {
  const payouts = useRead("listPayouts", usePage());
  return (
    <>
      <PageTitle title={labelOf("resources", "payouts")} lead={t("studio.payouts_lead")} actions={<Request />} />
      <Stack>
        <IdentityCheck />
        <List
          of={payouts}
          label={labelOf("resources", "payouts")}
          empty={t("studio.no_payouts")}
          keyOf={({ id }) => id}
          cells={{
            created_at: ({ created_at }) => formatTime(created_at),
            status: ({ status }) => <Status value={status} />,
            amount: ({ amount }) => formatNumber(amount),
            net: ({ net, currency }) => formatMoney(net, currency),
            fee: ({ fee, currency }) => formatMoney(fee, currency),
            shown: ({ shown }) => <bdi className="long">{shown}</bdi>,
            reference: ({ reference }) => <bdi className="long">{reference ?? "–"}</bdi>,
            failure: ({ failure }) => failure ?? "–",
          }}
          headings={{ shown: t("studio.where"), failure: t("studio.failure") }}
        />
      </Stack>
    </>
  );
}

function IdentityCheck() {
  const kyc = useRead("getKyc");
  const open = useWrite("openKyc");
  return (
    <Section title={t("studio.kyc")}>
      <Async of={kyc} lines={2}>
        {({ status, level, expires_at }) => (
          <Stack>
            <Facts
              of={[
                [labelOf("fields", "status"), <Status key="status" value={status} />],
                [labelOf("fields", "level"), formatNumber(level)],
                ...(expires_at ? [[labelOf("fields", "expires_at"), formatTime(expires_at)] as const] : []),
              ]}
            />
            {level === 0 && (
              <Button variant="default" w="max-content" loading={open.isPending} onClick={() => open.mutate({})}>
                {t("studio.start_kyc")}
              </Button>
            )}
            {open.data && (
              <Alert role="status">
                {open.data.url ? (
                  <Anchor href={open.data.url} target="_blank" rel="noreferrer">
                    {t("studio.go_on")}
                  </Anchor>
                ) : (
                  t("studio.provider_calls")
                )}
              </Alert>
            )}
          </Stack>
        )}
      </Async>
    </Section>
  );
}

function Request() {
  const earnings = useRead("getEarnings").data;
  const methods = useRead("listPayoutMethods").data;
  if (!earnings || !methods) return null;
  if (methods.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t("studio.no_methods")}
      </Text>
    );
  return (
    <DialogButton label={t("studio.request")} disabled={earnings.available === 0}>
      {(close) => <RequestDialog available={earnings.available} methods={methods} onClose={close} />}
    </DialogButton>
  );
}

interface RequestProps {
  readonly available: number;
  readonly methods: readonly Method[];
  readonly onClose: () => void;
}

function RequestDialog({ available, methods, onClose }: RequestProps) {
  const [id, setId] = useState(methods[0]!.id);
  const [amount, setAmount] = useState(available);
  const [details, setDetails] = useState<Readonly<Record<string, string>>>({});
  const [idempotencyKey] = useState(newKey);
  const request = useWrite("requestPayout", { onError: () => {} });
  const method = methods.find((one) => one.id === id)!;
  const given = Object.fromEntries(method.fields.map((name) => [name, (details[name] ?? "").trim()]));
  return (
    <FormDialog
      title={t("studio.request")}
      send={() => request.mutateAsync({ body: { amount, method: { kind: method.kind, ...given } }, idempotencyKey })}
      done={t("studio.requested")}
      isReady={amount > 0 && Object.values(given).every((value) => value !== "")}
      onClose={onClose}
    >
      <Select
        label={labelOf("fields", "method")}
        data={methods.map(({ id: value, name }) => ({ value, label: name }))}
        value={id}
        allowDeselect={false}
        onChange={(chosen) => setId(chosen ?? id)}
      />
      <NumberInput
        label={labelOf("fields", "amount")}
        description={t("studio.between", { least: formatNumber(method.min), most: formatNumber(available) })}
        required
        value={amount}
        onChange={(value) => setAmount(Number(value))}
        allowDecimal={false}
        thousandSeparator=" "
        hideControls
      />
      {method.fields.map((name) => (
        <TextInput
          key={name}
          label={labelOf("values", name)}
          required
          autoComplete="off"
          value={details[name] ?? ""}
          onChange={({ currentTarget }) => setDetails((before) => ({ ...before, [name]: currentTarget.value }))}
        />
      ))}
      <Text size="sm">{netText(method, amount)}</Text>
    </FormDialog>
  );
}

/** What is paid, as the server computes it. */
function netText({ rate, fee_fixed, fee_basis_points, currency }: Method, amount: number): string {
  const gross = Math.floor((amount * rate) / 10_000);
  const fee = fee_fixed + Math.ceil((gross * fee_basis_points) / 10_000);
  const money = (value: number) => formatMoney(value, currency);
  return t("studio.you_get", { net: money(Math.max(0, gross - fee)), fee: money(fee) });
}

import { Anchor, Button, Group, NumberInput, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { newKey } from "../../../../shared/client/timing.ts";
import { Async } from "../../admin/parts/async.tsx";
import { formatNumber, formatSigned, formatTime } from "../../admin/parts/format.ts";
import { PageTitle } from "../../admin/parts/page-title.tsx";
import { Facts, Section } from "../../admin/parts/section.tsx";
import { labelOf, language, t } from "../../admin/texts.ts";
import { type DataOf, useRead, useWrite } from "../data.ts";
import { DialogButton, FormDialog } from "../form.tsx";
import { List, usePage } from "../list.tsx";

type Balance = DataOf<"getEarnings">;

/** What was earned, when, and for what. */
export default function Earnings() {
  const earnings = useRead("getEarnings");
  const movements = useRead("listEarnings", usePage());
  return (
    <>
      <PageTitle title={labelOf("fields", "earnings")} lead={earnings.data?.name} />
      <Stack>
        <Async of={earnings}>
          {(balance) => (
            <Section title={labelOf("fields", "balance")} actions={<Exchange of={balance} />}>
              <Facts
                of={[
                  [labelOf("fields", "balance"), formatNumber(balance.balance)],
                  [labelOf("fields", "available"), formatNumber(balance.available)],
                  [t("studio.maturing", { count: balance.maturing_days }), formatNumber(balance.maturing)],
                  ...(balance.debt > 0 ? [[labelOf("fields", "debt"), formatNumber(balance.debt)] as const] : []),
                ]}
              />
            </Section>
          )}
        </Async>
        <Statements />
        <Section title={t("studio.movements")}>
          <List
            of={movements}
            label={labelOf("fields", "earnings")}
            empty={t("studio.no_movements")}
            keyOf={({ id }) => id}
            cells={{
              created_at: ({ created_at }) => formatTime(created_at),
              type: ({ type }) => labelOf("values", type),
              description: ({ description }) => <bdi>{description}</bdi>,
              amount: ({ direction, amount }) => (
                <span className="number">{formatSigned(direction === "credit" ? amount : -amount)}</span>
              ),
              balance_after: ({ balance_after }) => <span className="number">{formatNumber(balance_after)}</span>,
            }}
          />
        </Section>
      </Stack>
    </>
  );
}

const Exchange = ({ of }: { readonly of: Balance }) =>
  of.exchange_rate > 0 && (
    <DialogButton label={t("studio.exchange")} disabled={of.available === 0}>
      {(close) => <ExchangeDialog of={of} onClose={close} />}
    </DialogButton>
  );

function ExchangeDialog({ of, onClose }: { readonly of: Balance; readonly onClose: () => void }) {
  const [amount, setAmount] = useState(of.available);
  const [idempotencyKey] = useState(newKey);
  const exchange = useWrite("exchangeEarnings", { onError: () => {} });
  const coins = Math.floor((amount * of.exchange_rate) / 10_000);
  return (
    <FormDialog
      title={t("studio.exchange")}
      send={() => exchange.mutateAsync({ body: { amount }, idempotencyKey })}
      done={t("studio.exchanged")}
      isReady={amount > 0}
      onClose={onClose}
    >
      <NumberInput
        label={of.name}
        description={t("studio.at_most", { value: formatNumber(of.available) })}
        required
        value={amount}
        onChange={(value) => setAmount(Number(value))}
        allowDecimal={false}
        thousandSeparator=" "
        hideControls
      />
      <Text size="sm">{t("studio.for_coins", { coins: formatNumber(coins) })}</Text>
    </FormDialog>
  );
}

const monthsMax = 12;

/** This month and those before it, in UTC: `2026-11`. */
function lastMonths(): readonly string[] {
  const now = new Date();
  return Array.from({ length: monthsMax }, (_none, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

const monthText = (month: string): string =>
  new Intl.DateTimeFormat(language, { year: "numeric", month: "long", timeZone: "UTC" }).format(new Date(month));

function Statements() {
  const [period, setPeriod] = useState<string | null>(null);
  const statement = useRead("getStatement", { params: { period: period ?? "" } }, { enabled: period !== null });
  return (
    <Section title={t("studio.statements")}>
      <Stack>
        <Select
          maw={320}
          label={t("studio.month")}
          data={lastMonths().map((month) => ({ value: month, label: monthText(month) }))}
          value={period}
          onChange={setPeriod}
        />
        {period !== null && (
          <Async of={statement} lines={2}>
            {({ credits, debits, closing_balance, pending, page_url, csv_url }) => (
              <>
                <Facts
                  of={[
                    [t("studio.credits"), formatNumber(credits)],
                    [t("studio.debits"), formatNumber(debits)],
                    [labelOf("fields", "balance_after"), formatNumber(closing_balance ?? 0)],
                  ]}
                />
                {pending > 0 && (
                  <Text size="sm" c="dimmed">
                    {t("studio.pending", { count: pending })}
                  </Text>
                )}
                <Group gap="xs">
                  <Button component="a" href={page_url} target="_blank" rel="noreferrer" variant="default">
                    {t("studio.print")}
                  </Button>
                  <Anchor href={csv_url} size="sm">
                    {t("list.download")}
                  </Anchor>
                </Group>
              </>
            )}
          </Async>
        )}
      </Stack>
    </Section>
  );
}

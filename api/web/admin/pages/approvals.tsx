import { Badge, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useAccount, useCan } from "../account.tsx";
import { call, useRead, useWrite } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { useConfirm } from "../parts/confirm.tsx";
import { formatNumber, formatSigned, formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Nothing, Rows, Section } from "../parts/section.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { toast } from "../parts/toast.ts";
import { labelOf, t } from "../texts.ts";
import "./pages.css";

const often = 15_000;

/** The adjustments of balances that wait for a second administrator. */
export default function Approvals() {
  const can = useCan();
  return (
    <>
      <PageTitle title={t("approvals.title")} lead={t("approvals.lead")} />
      <Stack>
        <Coins />
        {can("catalogue_balances.read") && <Money />}
        <Decided />
      </Stack>
    </>
  );
}

interface Pending {
  readonly id: string;
  readonly user_id: string;
  /** With its sign and its unit. */
  readonly amount: string;
  readonly reason: string;
  readonly requested_by: string;
  readonly created_at: string;
  readonly expires_at: string | null;
}

function Coins() {
  const canSeeUsers = useCan()("users.read");
  const waiting = useRead("listAdjustments", { query: { status: "pending" } }, { refetchInterval: often });
  const [approve, decline] = [useWrite("approveAdjustment"), useWrite("declineAdjustment")];
  return (
    <Section title={t("approvals.coins")} count={waiting.data?.total} all="/adjustments">
      <Async of={waiting}>
        {({ items }) => (
          <List
            of={items.map((one) => ({ ...one, amount: t("story.coins", { value: formatSigned(one.amount) }) }))}
            mayDecide
            approve={(id) => approve.mutateAsync({ params: { id } })}
            decline={(id) => decline.mutateAsync({ params: { id } })}
            {...(canSeeUsers && { resultOf: (id) => resultOf(items.find((one) => one.id === id)!) })}
          />
        )}
      </Async>
    </Section>
  );
}

/** A sum of at least so many of the largest package is named as such: it may have a zero too many. */
const implausible = 10;

/** What the balance is now, and what it becomes. */
async function resultOf({ user_id, amount }: { readonly user_id: string; readonly amount: number }): Promise<string> {
  const [{ full_name, wallet }, packages] = await Promise.all([
    call("getUser", { params: { id: user_id } }),
    call("listCoinPackages", { query: { sort: "-coins", limit: 1 } }).catch(() => undefined),
  ]);
  const [before, after] = [formatNumber(wallet.balance), formatNumber(wallet.balance + amount)];
  const result = t("approvals.result", { name: full_name, before, after });
  const times = Math.floor(Math.abs(amount) / (packages?.items[0]?.coins ?? Number.POSITIVE_INFINITY));
  return times < implausible ? result : `${result} ${t("approvals.large", { times: formatNumber(times) })}`;
}

function Money() {
  const can = useCan();
  const waiting = useRead("listMoneyAdjustments", { query: { status: "pending" } }, { refetchInterval: often });
  const [approve, decline] = [useWrite("approveMoneyAdjustment"), useWrite("declineMoneyAdjustment")];
  return (
    <Section title={t("approvals.money")} count={waiting.data?.total} all="/catalogue/balance-adjustments">
      <Async of={waiting}>
        {({ items }) => (
          <List
            of={items.map((one) => ({ ...one, amount: `${formatSigned(Number(one.amount))} ${one.currency}` }))}
            mayDecide={can("catalogue_balances.write")}
            approve={(id) => approve.mutateAsync({ params: { id } })}
            decline={(id) => decline.mutateAsync({ params: { id } })}
          />
        )}
      </Async>
    </Section>
  );
}

interface ListProps {
  readonly of: readonly Pending[];
  readonly mayDecide: boolean;
  readonly approve: (id: string) => Promise<unknown>;
  readonly decline: (id: string) => Promise<unknown>;
  /** Says what an approval leads to. */
  readonly resultOf?: (id: string) => Promise<string>;
}

const List = ({ of, ...how }: ListProps) => (
  <Stack>
    {of.length === 0 && <Nothing>{t("approvals.none")}</Nothing>}
    {of.map((one) => (
      <Waiting key={one.id} of={one} {...how} />
    ))}
  </Stack>
);

function Waiting({ of, mayDecide, approve, decline, resultOf }: Omit<ListProps, "of"> & { readonly of: Pending }) {
  const confirm = useConfirm();
  const isOwn = of.requested_by === useAccount().id;
  const act = async (verb: "approve" | "decline", send: (id: string) => Promise<unknown>) => {
    const title = verb === "decline" && isOwn ? t("approvals.take_back") : t(`approvals.${verb}`);
    const effect = t(`approvals.${verb}_effect`, { amount: of.amount });
    const result = verb === "approve" ? await resultOf?.(of.id).catch(() => undefined) : undefined;
    const consequence = result ? `${result} ${effect}` : effect;
    if (!(await confirm({ title, consequence, action: title, isDanger: verb === "decline" }))) return;
    await send(of.id);
    toast.done(t(`approvals.${verb}d`));
  };
  return (
    <Paper withBorder p="sm" component="article" aria-label={of.amount}>
      <Group justify="space-between" gap="xs">
        <Text>
          <b>{of.amount}</b> · <Named type="user" id={of.user_id} />
        </Text>
        <Text size="xs" c="dimmed">
          {of.expires_at && t("approvals.expires", { time: formatTime(of.expires_at) })}
        </Text>
      </Group>
      <Text size="sm">“{of.reason}”</Text>
      <Text size="xs" c="dimmed" mb="xs">
        <Sentence text={t("approvals.asked_by")} parts={{ admin: <Named type="admin" id={of.requested_by} /> }} /> ·{" "}
        {formatTime(of.created_at)}
      </Text>
      {isOwn && <Text size="sm">{t("approvals.own")}</Text>}
      {mayDecide && (
        <Group gap="xs" mt={4}>
          {!isOwn && (
            <Button size="xs" color="teal" onClick={() => void act("approve", approve)}>
              {t("approvals.approve")}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => void act("decline", decline)}>
            {isOwn ? t("approvals.take_back") : t("approvals.decline")}
          </Button>
        </Group>
      )}
    </Paper>
  );
}

const colors = { pending: "orange", approved: "teal", declined: "red", expired: "gray" } as const;

function Decided() {
  const found = useRead("listAdjustments", { query: { limit: 10 } });
  return (
    <Section title={t("approvals.latest")} all="/adjustments">
      <Async of={found}>
        {({ items }) => (
          <Rows
            rows={items.filter(({ status }) => status !== "pending")}
            id={({ id }) => id}
            main={({ amount, user_id, reason }) => (
              <>
                {formatSigned(amount)} · <Named type="user" id={user_id} /> · {reason}
              </>
            )}
            side={({ status, created_at }) => (
              <>
                <Text size="xs" c="dimmed">
                  {formatTime(created_at)}
                </Text>
                <Badge variant="light" color={colors[status]}>
                  {labelOf("values", status)}
                </Badge>
              </>
            )}
          />
        )}
      </Async>
    </Section>
  );
}

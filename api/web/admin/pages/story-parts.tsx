import { Anchor, Badge, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { useCan } from "../account.tsx";
import { useRead } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { formatMoney, formatNumber, formatSigned, formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { Facts, Nothing, Rows, Section } from "../parts/section.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { labelOf, t, titleOf } from "../texts.ts";
import { Entry } from "./audit.tsx";
import type { User } from "./story.tsx";
import { wayName } from "./story-access.tsx";

interface Props {
  readonly of: User;
}

/** How many of each kind the page shows; their own pages show all. */
const shown = 6;

const When = ({ at }: { readonly at: string }) => (
  <Text size="xs" c="dimmed" span>
    {formatTime(at)}
  </Text>
);

/** What was done to the account: the suspension, and what its reports led to. */
export function Sanctions({ of: { suspension, reports_against } }: Props) {
  const sanctions = reports_against.items.filter(({ status }) => status === "resolved");
  return (
    <Section title={t("story.sanctions")}>
      {suspension ? (
        <Facts
          of={[
            [t("story.suspended_since"), formatTime(suspension.since)],
            [t("story.suspended_until"), suspension.until ? formatTime(suspension.until) : t("story.until_lifted")],
            [t("story.reason"), suspension.reason || "–"],
          ]}
        />
      ) : (
        <Nothing>{t("story.not_suspended")}</Nothing>
      )}
      {sanctions.length > 0 && (
        <Rows
          rows={sanctions}
          id={({ id }) => id}
          main={({ id }) => <Named type="report" id={id} />}
          side={({ created_at }) => <When at={created_at} />}
        />
      )}
    </Section>
  );
}

export function Ledger({ of: { id } }: Props) {
  const ledger = useRead("listTransactions", { query: { user_id: id, limit: shown } });
  return (
    <Section
      title={t("story.ledger")}
      all={`/transactions?user_id=${id}`}
      actions={
        <Anchor component={Link} href={`/users/${id}/statements`} size="sm">
          {titleOf("/statements")}
        </Anchor>
      }
    >
      <Async of={ledger}>
        {({ items }) => (
          <Rows
            rows={items}
            id={(entry) => entry.id}
            main={({ type, description, created_at }) => (
              <>
                {labelOf("values", type)} <When at={created_at} />
                <Text size="xs" c="dimmed">
                  {description}
                </Text>
              </>
            )}
            side={({ direction, amount, balance_after }) => (
              <>
                <Text fw={600} size="sm">
                  {formatSigned(direction === "credit" ? amount : -amount)}
                </Text>
                {balance_after !== null && (
                  <Text size="xs" c="dimmed">
                    {t("story.balance_after", { value: formatNumber(balance_after) })}
                  </Text>
                )}
              </>
            )}
          />
        )}
      </Async>
    </Section>
  );
}

export const Rooms = ({ of: { id, rooms } }: Props) => (
  <Section title={t("story.rooms")} count={rooms.total} all={`/rooms?host_id=${id}`}>
    <Rows
      rows={rooms.items.slice(0, shown)}
      id={(room) => room.id}
      main={(room) => <Named type="room" id={room.id} />}
      side={({ status, created_at }) => (
        <>
          <When at={created_at} />
          <Badge variant="light" color={status === "open" ? "teal" : "gray"}>
            {labelOf("values", status)}
          </Badge>
        </>
      )}
    />
  </Section>
);

export function Gifts({ of: { id, gifts_sent, gifts_received } }: Props) {
  const gifts = [
    ...gifts_sent.items.map((gift) => ({ ...gift, isSent: true, peer: gift.recipient_id })),
    ...gifts_received.items.map((gift) => ({ ...gift, isSent: false, peer: gift.sender_id })),
  ].sort((a, b) => b.created_at.localeCompare(a.created_at));
  return (
    <Section
      title={t("story.gifts")}
      count={gifts_sent.total + gifts_received.total}
      all={`/transactions?user_id=${id}&reference_type=gift_transaction`}
    >
      <Rows
        rows={gifts.slice(0, shown)}
        id={(gift) => gift.id}
        main={({ isSent, gift_id, quantity, peer, created_at }) => (
          <>
            <Sentence
              text={t(isSent ? "story.gift_sent" : "story.gift_received", { quantity })}
              parts={{ gift: <Named type="gift" id={gift_id} />, user: <Named type="user" id={peer} /> }}
            />{" "}
            <When at={created_at} />
          </>
        )}
        side={({ total_coins }) => t("story.coins", { value: formatNumber(total_coins) })}
      />
    </Section>
  );
}

type Report = User["reports_by"]["items"][number];

export const Reports = ({ of: { id, reports_by, reports_against } }: Props) => (
  <Section
    title={t("story.reports")}
    count={reports_by.total + reports_against.total}
    all={`/reports?target_user_id=${id}`}
  >
    <Text fw={600} size="sm">
      {t("story.reports_against", { count: reports_against.total })}
    </Text>
    <ReportRows of={reports_against.items} person={({ reporter_id }) => reporter_id} />
    <Text fw={600} size="sm" mt="sm">
      {t("story.reports_by", { count: reports_by.total })}
    </Text>
    <ReportRows of={reports_by.items} person={({ target_user_id }) => target_user_id} />
  </Section>
);

interface ReportRowsProps {
  readonly of: readonly Report[];
  /** The other user. */
  readonly person: (report: Report) => string;
}

const ReportRows = ({ of, person }: ReportRowsProps) => (
  <Rows
    rows={of.slice(0, shown)}
    id={({ id }) => id}
    main={(report) => (
      <>
        <Named type="report" id={report.id} /> ({labelOf("values", report.target_type)}) ·{" "}
        <Named type="user" id={person(report)} />
      </>
    )}
    side={({ status }) => (
      <Badge variant="light" color={status === "open" ? "orange" : "gray"}>
        {labelOf("values", status)}
      </Badge>
    )}
  />
);

const orderColors = { created: "gray", paid: "teal", failed: "red", expired: "gray", refunded: "orange" } as const;

export function Orders({ of: { id, orders } }: Props) {
  const can = useCan();
  return (
    <Section
      title={t("story.orders")}
      count={orders.total}
      all={can("orders.read") ? `/orders?user_id=${id}` : undefined}
    >
      <Rows
        rows={orders.items.slice(0, shown)}
        id={(order) => order.id}
        main={(order) => (
          <>
            <Named type="order" id={order.id} /> <When at={order.created_at} />
          </>
        )}
        side={({ status, amount, currency }) => (
          <>
            {formatMoney(amount, currency)}
            <Badge variant="light" color={orderColors[status]}>
              {labelOf("values", status)}
            </Badge>
          </>
        )}
      />
    </Section>
  );
}

/** What the user ordered in the catalogue with their API keys, if anything. */
export function CatalogueOrders({ of: { id } }: Props) {
  const orders = useRead("listCatalogueOrders", { query: { user_id: id, limit: shown } });
  if (!orders.data || orders.data.total === 0) return null;
  return (
    <Section title={t("story.catalogue_orders")} count={orders.data.total} all={`/catalogue/orders?user_id=${id}`}>
      <Rows
        rows={orders.data.items}
        id={(order) => order.id}
        main={(order) => (
          <>
            <Named type="catalogue_order" id={order.id} /> · {order.service_name} <When at={order.created_at} />
          </>
        )}
        side={({ status, total, currency }) => (
          <>
            {`${total} ${currency}`}
            <Badge variant="light" color="gray">
              {labelOf("values", status)}
            </Badge>
          </>
        )}
      />
    </Section>
  );
}

export const Sessions = ({ of: { sessions, devices } }: Props) => (
  <Section title={t("story.sessions")} count={sessions.total}>
    <Rows
      rows={sessions.items.slice(0, shown)}
      id={({ id }) => id}
      main={({ user_agent, ip, way }) => (
        <>
          {user_agent || t("story.unknown_device")}
          <Text size="xs" c="dimmed">
            {`${wayName(way)} · ${ip}`}
          </Text>
        </>
      )}
      side={({ last_used_at }) => <When at={last_used_at} />}
    />
    {devices.total > 0 && (
      <Text size="xs" c="dimmed" mt="xs">
        {t("story.devices", {
          count: devices.total,
          platforms: [...new Set(devices.items.map(({ platform }) => platform))].join(", "),
        })}
      </Text>
    )}
  </Section>
);

/** The newest entries of the audit log about the user. */
export function Trail({ id }: { readonly id: string }) {
  const log = useRead("listAuditLogs", { query: { target_id: id, limit: shown } });
  return (
    <Section title={t("story.audit")} count={log.data?.total} all={`/audit-logs?target_id=${id}`}>
      <Async of={log}>
        {({ items }) => (
          <Stack gap="xs">
            {items.length === 0 && <Nothing />}
            {items.map((entry) => (
              <Entry key={entry.id} of={entry} />
            ))}
          </Stack>
        )}
      </Async>
    </Section>
  );
}

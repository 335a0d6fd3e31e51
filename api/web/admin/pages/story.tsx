import { Avatar, Badge, Group, Paper, Stack, Text } from "@mantine/core";
import { useParams } from "wouter";
import { useCan } from "../account.tsx";
import { type DataOf, useRead } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { formatNumber, formatTime } from "../parts/format.ts";
import { NamedOrNone } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Facts } from "../parts/section.tsx";
import { wordFor } from "../parts/words.ts";
import { labelOf, t } from "../texts.ts";
import { WaysIn } from "./story-access.tsx";
import { Actions } from "./story-actions.tsx";
import { CatalogueOrders, Gifts, Ledger, Orders, Reports, Rooms, Sanctions, Sessions, Trail } from "./story-parts.tsx";
import "./pages.css";

export type User = DataOf<"getUser">;

/** Everything about a user on one page, with what the administrator may do. */
export default function Story() {
  const { id = "" } = useParams();
  const can = useCan();
  const user = useRead("getUser", { params: { id } });
  return (
    <Async of={user} lines={10}>
      {(found) => (
        <>
          <PageTitle title={found.full_name} lead={<bdi>@{found.username}</bdi>} actions={<Actions of={found} />} />
          <Stack>
            <Profile of={found} />
            <div className="columns">
              <Sanctions of={found} />
              {can("transactions.read") && <Ledger of={found} />}
              <Rooms of={found} />
              <Gifts of={found} />
              <Reports of={found} />
              <Orders of={found} />
              {can("catalogue_orders.read") && <CatalogueOrders of={found} />}
              <WaysIn of={found} />
              <Sessions of={found} />
              {can("audit_logs.read") && <Trail id={found.id} />}
            </div>
          </Stack>
        </>
      )}
    </Async>
  );
}

const statusColors = {
  active: "teal",
  suspended: "red",
  deletion_pending: "yellow",
  deleted: "gray",
} as const;

function Profile({ of: user }: { readonly of: User }) {
  const verified = (isVerified: boolean) => (isVerified ? t("story.verified") : t("story.unverified"));
  return (
    <Paper withBorder p="md" className="part">
      <Group align="flex-start" wrap="nowrap" mb="md">
        <Avatar color="violet" size="lg" name={user.full_name} aria-hidden="true" />
        <div>
          <Group gap="xs">
            <Badge color={statusColors[user.status]} variant="light">
              {labelOf("values", user.status)}
            </Badge>
            <Badge color={user.is_online ? "teal" : "gray"} variant="light">
              {user.is_online ? t("story.online") : t("story.offline")}
            </Badge>
            {user.is_guest && (
              <Badge color="gray" variant="light">
                {t("story.way_guest")}
              </Badge>
            )}
          </Group>
          {user.bio && (
            <Text size="sm" mt={6}>
              {user.bio}
            </Text>
          )}
        </div>
      </Group>
      <Facts
        of={[
          [t("story.balance"), t("story.coins", { value: formatNumber(user.wallet.balance) })],
          [t("story.debt"), t("story.coins", { value: formatNumber(user.wallet.debt) })],
          [t("story.room_now"), <NamedOrNone key="room" type="room" id={user.current_room_id} />],
          [t("story.email"), user.email ? `${user.email} · ${verified(user.email_verified)}` : "–"],
          [t("story.mobile"), user.mobile ? `${user.mobile} · ${verified(user.mobile_verified)}` : "–"],
          [t("story.country"), user.country ? wordFor("country", user.country) : "–"],
          [t("story.joined"), formatTime(user.created_at)],
          ...(user.guest_ended_at ? ([[t("story.guest_until"), formatTime(user.guest_ended_at)]] as const) : []),
          [t("story.last_seen"), user.last_seen_at ? formatTime(user.last_seen_at) : "–"],
          ...(user.deletion_due_at ? ([[t("story.deletion_due"), formatTime(user.deletion_due_at)]] as const) : []),
          [t("story.id"), <code key="id">{user.id}</code>],
        ]}
      />
    </Paper>
  );
}

import {
  coins,
  count,
  defineExtension,
  exampleIds,
  flag,
  type Hub,
  id,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  roomEvents,
  userCard,
  userRoute,
} from "#shared/extension/index.ts";
import { claimShare, sendPacket, settlePacket, viewPacket } from "./packets.ts";
import { texts } from "./texts.ts";
import { sharing } from "./workload.ts";

const [coinsMax, sharesMax] = [1_000_000, 1000];
const packetView = object({
  id: id(exampleIds.gift),
  room_id: id(exampleIds.room),
  sender: nullable(userCard),
  kind: oneOf("equal", "drawn"),
  coins: coins(1000),
  shares: count(10),
  shares_left: count(7),
  is_open: flag(),
  claims: listOf(object({ user_id: id(exampleIds.grace), coins: coins(80) })),
}).meta({ name: "RedPacket" });

const claimView = object({ coins: coins(80) }).meta({ name: "RedPacketClaim" });
const sendBody = object({
  room_id: id(exampleIds.room),
  coins: integer(1, coinsMax, 1000).description("What is held for the shares."),
  shares: integer(1, sharesMax, 10),
  kind: oneOf("equal", "drawn").description("`equal`: shares of the same size. `drawn`: of sizes by chance."),
}).meta({ name: "SendRedPacketBody" });
const params = object({ id: id(exampleIds.gift) });

const about = { packet_id: id(exampleIds.gift), room_id: id(exampleIds.room), user_id: id(exampleIds.grace) };
const sentFields = { ...about, coins: coins(1000), shares: count(10) };
const claimedFields = { ...about, coins: coins(80), shares_left: count(7) };

const settings = {
  red_packets_window_seconds: {
    schema: integer(1, 86_400, 600),
    fallback: 600,
    description: "How long the shares of a red packet can be taken, seconds. What is left then goes back.",
  },
};

const errors = {
  RED_PACKETS_GONE: {
    status: 409,
    meaning: "All shares of this red packet are taken, or its time is over.",
    remedy: "Show what the others got.",
  },
};

const causes = {
  packet: {
    title: "Red packet",
    entries: `SELECT id, account, amount FROM ext_red_packets.packets
        CROSS JOIN LATERAL (VALUES (sender_id::text, -coins), ('ext_red_packets', coins)) AS e (account, amount)`,
  },
  claim: {
    title: "Share of a red packet",
    entries: `SELECT id, account, amount FROM ext_red_packets.claims
        CROSS JOIN LATERAL (VALUES (user_id::text, coins), ('ext_red_packets', -coins)) AS e (account, amount)`,
  },
  rest: {
    title: "Rest of a red packet",
    entries: `SELECT id, account, amount FROM ext_red_packets.packets
        CROSS JOIN LATERAL (VALUES (sender_id::text, returned), ('ext_red_packets', -returned)) AS e (account, amount)
        WHERE returned > 0`,
  },
};

const routes = (hub: Hub) => [
  userRoute({
    id: "sendRedPacket",
    method: "post",
    path: "/red-packets",
    summary: "Send a red packet",
    description: "Allowed for members of the room. The coins leave your wallet at once.",
    idempotent: true,
    body: sendBody,
    response: packetView,
    status: 201,
    errors: ["INSUFFICIENT_BALANCE", "NOT_A_MEMBER"],
    handler: ({ caller, body, idempotency }) => sendPacket(hub, caller, body, idempotency),
  }),
  userRoute({
    id: "getRedPacket",
    method: "get",
    path: "/red-packets/:id",
    summary: "Get a red packet",
    params,
    response: packetView,
    errors: ["NOT_A_MEMBER"],
    handler: ({ caller, params: { id: packetId } }) => viewPacket(hub, packetId, caller),
  }),
  userRoute({
    id: "claimRedPacket",
    method: "post",
    path: "/red-packets/:id/claims",
    summary: "Take a share",
    description: "A second call returns what the first has got.",
    params,
    response: claimView,
    errors: ["NOT_A_MEMBER", "RED_PACKETS_GONE"],
    handler: ({ caller, params: { id: packetId } }) => claimShare(hub, packetId, caller),
  }),
];

export default defineExtension("red_packets", (hub) => ({
  summary: "Coins that a member of a room shares with the others.",
  ...{ texts, settings, errors, causes },
  ...roomEvents({
    "red_packets.sent": { summary: "A red packet was sent", fields: sentFields },
    "red_packets.claimed": { summary: "A share of a red packet was taken", fields: claimedFields },
  }),
  jobs: { settle: { run: ({ packet_id }: { packet_id: string }) => settlePacket(hub, packet_id) } },
  routes: routes(hub),
  // What is left of an erased user are IDs and amounts, as in the ledger.
  exports: {
    given: `SELECT room_id, kind, coins, shares, expires_at FROM ext_red_packets.packets WHERE sender_id = $1 ORDER BY id`,
    claims: `SELECT packet_id, coins, created_at FROM ext_red_packets.claims WHERE user_id = $1 ORDER BY id`,
  },
  workloads: { sharing },
}));

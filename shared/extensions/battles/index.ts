import {
  defineExtension,
  exampleIds,
  fundCause,
  fundRoute,
  type Hub,
  id,
  integer,
  listOf,
  object,
  type Parts,
  roomEvents,
  userRoute,
} from "#shared/extension/index.ts";
import { answer, end, expire, invite, listBattles, showScores } from "./battles.ts";
import { texts } from "./texts.ts";
import { battleFields, battleView, inviteBody } from "./views.ts";
import { fighting } from "./workload.ts";

const settings: Parts["settings"] = {
  battles_invitation_seconds: {
    ...{ schema: integer(10, 3600, 120), fallback: 120 },
    description: "How long an invitation to a battle can be accepted, seconds.",
  },
  battles_reward_percent: {
    ...{ schema: integer(0, 50, 5), fallback: 0 },
    description:
      "What the winner's host gets from the budget of battles, in percent of the bought coins that were given in their room: less than the house keeps of gifts. 0 for nothing.",
  },
};

const errors: Parts["errors"] = {
  BATTLES_BUSY: {
    ...{ status: 409, meaning: "One of the rooms is in a battle, or yours has invited another room." },
    remedy: "Wait for its end, or withdraw the invitation.",
  },
  BATTLES_OVER: { status: 409, meaning: "This invitation is no longer open.", remedy: "Invite the room again." },
};

const causes: Parts["causes"] = {
  fund: fundCause("battles", "battles"),
  reward: {
    title: "Reward of a battle",
    entries: `SELECT id, account, amount FROM ext_battles.battles
        CROSS JOIN LATERAL (VALUES (rewarded_id::text, reward), ('ext_battles', -reward)) AS e (account, amount) WHERE reward > 0`,
  },
};
const answers = { accept: "Accept a battle", decline: "Decline a battle", withdraw: "Withdraw an invitation" } as const;
const routes = (hub: Hub) => [
  userRoute({
    id: "inviteToBattle",
    method: "post",
    path: "/battles",
    summary: "Invite to a battle",
    description: "Allowed for the host. Both rooms see every change as `battles:updated`.",
    body: inviteBody,
    response: battleView,
    status: 201,
    errors: ["FORBIDDEN", "BATTLES_BUSY"],
    handler: ({ caller, body }) => invite(hub, caller, body),
  }),
  userRoute({
    id: "listBattles",
    method: "get",
    path: "/battles",
    summary: "List a room's battles",
    description: "The newest 20. One at most is running.",
    query: object({ room_id: id(exampleIds.room) }),
    response: listOf(battleView),
    handler: ({ caller, query }) => listBattles(hub, caller, query.room_id),
  }),
  ...(Object.keys(answers) as (keyof typeof answers)[]).map((how) =>
    userRoute({
      id: `${how}Battle`,
      method: "post",
      path: `/battles/:id/${how}`,
      summary: answers[how],
      description: "For the host of the room that it is up to.",
      params: object({ id: id(exampleIds.gift) }),
      response: battleView,
      errors: how === "accept" ? ["BATTLES_OVER", "BATTLES_BUSY"] : ["BATTLES_OVER"],
      handler: ({ caller, params }) => answer(hub, caller, params.id, how),
    }),
  ),
  fundRoute(hub, "battles", "battles"),
];

export default defineExtension("battles", (hub) => ({
  summary: "Battles between two rooms: the gifts that are given in each decide.",
  ...{ texts, settings, errors, causes },
  ...roomEvents({
    "battles.updated": { summary: "A battle changed", fields: battleFields, rooms: ["room_id", "rival_room_id"] },
  }),
  after: { events: { "gift.sent": showScores(hub) } },
  jobs: {
    end: { run: ({ battle_id }: { battle_id: string }) => end(hub, battle_id), retries: 20 },
    expire: { run: () => expire(hub), retries: 20 },
  },
  routes: routes(hub),
  // What is left of an erased user are IDs and amounts, as in the ledger.
  exports: {
    hosted: `SELECT id, room_id, rival_room_id, starts_at, score, rival_score, winner_room_id FROM ext_battles.battles
      WHERE $1 IN (host_id, rival_host_id) ORDER BY id`,
  },
  workloads: { fighting },
}));

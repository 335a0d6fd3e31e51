import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildRoom } from "#shared/testing/factories.ts";
import type { Scene } from "#shared/testing/scene.ts";
import {
  anybody,
  type IdOf,
  id,
  type Outcomes,
  onlyOwner,
  refused,
  row,
  type SocialMatrix,
  unlessBlocked,
} from "./social-rows.ts";

const members: Outcomes = ["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ok"];
/** The member hosts the rival of the owner's room. */
const rival: Outcomes = ["NOT_FOUND", "NOT_FOUND", "ok", "NOT_FOUND"];

/** A red packet of the owner, in their room. */
const packet: IdOf = async (scene) => {
  const packetId = newId();
  await query(
    `INSERT INTO ext_red_packets.packets
       (id, room_id, sender_id, kind, coins, shares, bought, coins_left, shares_left, expires_at)
     VALUES ($1, $2, $3, 'equal', 10, 5, 0, 10, 5, now() + interval '1 hour')`,
    [packetId, await scene.room(), scene.owner.id],
  );
  return packetId;
};

/** The owner's room, and one of the member's. */
const twoRooms = async (scene: Scene) => ({
  room_id: await scene.room(),
  rival_room_id: (await buildRoom({ host: scene.member })).id,
});

/** An invitation of the owner's room to one of the member's. */
const battle: IdOf = async (scene) => {
  const { room_id, rival_room_id } = await twoRooms(scene);
  // A room has one at a time.
  const [made] = await query<{ id: string }>(
    `INSERT INTO ext_battles.battles (id, room_id, rival_room_id, seconds, expires_at)
     VALUES ($1, $2, $3, 60, now() + interval '1 hour')
     ON CONFLICT (room_id) WHERE status = 'invited' DO UPDATE SET seconds = 60 RETURNING id`,
    [newId(), room_id, rival_room_id],
  );
  return made!.id;
};

/** The draw for a gift of the owner. */
const draw: IdOf = async (scene) => {
  const giftId = newId();
  await query(
    `INSERT INTO ext_lucky_gifts.draws (id, room_id, user_id, stake, contribution, times)
     VALUES ($1, $2, $3, 10, 4, 0)`,
    [giftId, await scene.room(), scene.owner.id],
  );
  return giftId;
};

/** Who may do what in the plays that we ship. */
export const playMatrix: SocialMatrix = {
  "post /red-packets": row(members, async (scene) => ({
    body: { room_id: await scene.room(), coins: 10, shares: 5, kind: "drawn" },
  })),
  "get /red-packets/:id": row(members, id(packet)),
  "post /red-packets/:id/claims": row(members, id(packet)),
  "post /battles": row(["FORBIDDEN", "NOT_FOUND", "FORBIDDEN", "ok"], async (scene) => ({
    body: { ...(await twoRooms(scene)), seconds: 60 },
  })),
  "get /battles": row(unlessBlocked, async (scene) => ({ query: { room_id: await scene.room() } })),
  "post /battles/:id/accept": row(rival, id(battle)),
  "post /battles/:id/decline": row(rival, id(battle)),
  "post /battles/:id/withdraw": row(onlyOwner, id(battle)),
  "get /lucky-gifts": anybody(),
  "get /lucky-gifts/draws/:id": row(onlyOwner, id(draw)),
  "get /missions": anybody(),
  // The budget is empty.
  "post /missions/check-in": refused("MISSIONS_EMPTY" as never),
  "post /missions/:id/claims": refused("NOT_FOUND", () => ({ params: { id: newId() } })),
  "get /levels/own": anybody(),
  "get /levels": anybody((scene) => ({ query: { user_ids: scene.owner.id } })),
};

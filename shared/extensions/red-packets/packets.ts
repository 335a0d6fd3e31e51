import { randomInt } from "node:crypto";
import pLimit from "p-limit";
import { type Hub, type HubTx, payment, type UserPrincipal } from "#shared/extension/index.ts";

interface Packet {
  readonly id: string;
  readonly room_id: string;
  readonly sender_id: string;
  readonly kind: "equal" | "drawn";
  readonly coins: number;
  readonly shares: number;
  readonly coins_left: number;
  readonly shares_left: number;
  readonly bought: number;
  readonly is_open: boolean;
}
type Left = Pick<Packet, "kind" | "coins_left" | "shares_left">;

/** A crowd at one packet leaves connections for everyone else. */
const turns = pLimit(4);
const columns = `id, room_id, sender_id, kind, coins, shares, coins_left, shares_left, bought,
  returned IS NULL AND expires_at > now() AS is_open`;

/** Returns the size of the next share: by chance up to twice the mean, so that all have the same expectation. */
export function nextShare({ kind, coins_left, shares_left }: Left): number {
  if (shares_left === 1) return coins_left;
  const mean = Math.floor(coins_left / shares_left);
  return kind === "equal" ? mean : randomInt(1, Math.max(2, Math.min(2 * mean, coins_left - shares_left + 2)));
}

async function assertMember(hub: Hub, roomId: string, { userId }: UserPrincipal): Promise<void> {
  if (!(await hub.isInRoom(roomId, userId))) throw hub.error("NOT_A_MEMBER");
}

/** Returns a packet of a room that the caller is in. @throws NOT_FOUND, NOT_A_MEMBER */
async function findPacket(hub: Hub, packetId: string, caller: UserPrincipal): Promise<Packet> {
  const sql = `SELECT ${columns} FROM ext_red_packets.packets WHERE id = $1`;
  const [packet] = await hub.query<Packet>(sql, [packetId]);
  if (!packet) throw hub.error("NOT_FOUND");
  await assertMember(hub, packet.room_id, caller);
  return packet;
}

/** Shows a packet to members of its room. @throws NOT_FOUND, NOT_A_MEMBER */
export async function viewPacket(hub: Hub, packetId: string, caller: UserPrincipal) {
  const { sender_id, bought: _, coins_left: __, ...rest } = await findPacket(hub, packetId, caller);
  const claims = await hub.query<{ user_id: string; coins: number }>(
    "SELECT user_id, coins FROM ext_red_packets.claims WHERE packet_id = $1 ORDER BY created_at, id",
    [packetId],
  );
  return { ...rest, sender: (await hub.users([sender_id])).get(sender_id) ?? null, claims };
}

async function claimOf({ query }: Pick<Hub, "query">, packetId: string, userId: string) {
  const sql = "SELECT coins FROM ext_red_packets.claims WHERE packet_id = $1 AND user_id = $2";
  return (await query<{ coins: number }>(sql, [packetId, userId]))[0];
}

interface SendBody {
  readonly room_id: string;
  readonly coins: number;
  readonly shares: number;
  readonly kind: "equal" | "drawn";
}

/** Sends a packet, for members of the room. @throws VALIDATION_ERROR, NOT_A_MEMBER, INSUFFICIENT_BALANCE */
export async function sendPacket(
  hub: Hub,
  caller: UserPrincipal,
  body: SendBody,
  idempotency: Parameters<Hub["transaction"]>[1],
) {
  if (body.shares > body.coins) throw hub.error("VALIDATION_ERROR", "Each share must have a coin.");
  await assertMember(hub, body.room_id, caller);
  const sent = await hub.transaction((tx) => send(hub, tx, caller, body), idempotency);
  return viewPacket(hub, sent.id, caller);
}

/** Takes a share. A second call gets what the first has got. @throws NOT_FOUND, NOT_A_MEMBER, RED_PACKETS_GONE */
export async function claimShare(hub: Hub, packetId: string, caller: UserPrincipal): Promise<{ coins: number }> {
  const packet = await findPacket(hub, packetId, caller);
  const earlier = await claimOf(hub, packetId, caller.userId);
  if (earlier) return earlier;
  // Most of a crowd comes too late, and waits for no lock.
  if (!packet.is_open || packet.shares_left === 0) throw hub.error("RED_PACKETS_GONE");
  return turns(() => hub.transaction((tx) => claim(hub, tx, packetId, caller)));
}

async function send(hub: Hub, tx: HubTx, caller: UserPrincipal, body: SendBody): Promise<{ id: string }> {
  const packetId = hub.newId();
  const windowSeconds = hub.setting<number>("red_packets_window_seconds");
  const { bought } = await tx.transfer({
    cause: "packet",
    id: packetId,
    by: caller,
    description: "Red packet",
    entries: payment(caller.userId, -body.coins),
  });
  await tx.query(
    `INSERT INTO ext_red_packets.packets
       (id, room_id, sender_id, kind, coins, shares, bought, coins_left, shares_left, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $5, $6, now() + $8 * interval '1 second')`,
    [packetId, body.room_id, caller.userId, body.kind, body.coins, body.shares, bought, windowSeconds],
  );
  await tx.enqueue("settle", { packet_id: packetId }, { afterSeconds: windowSeconds });
  const { room_id, coins: held, shares } = body;
  await tx.publish("red_packets.sent", { packet_id: packetId, room_id, user_id: caller.userId, coins: held, shares });
  return { id: packetId };
}

async function claim(hub: Hub, tx: HubTx, packetId: string, caller: UserPrincipal): Promise<{ coins: number }> {
  const { userId } = caller;
  const [packet] = await tx.query<Packet>(
    `SELECT ${columns} FROM ext_red_packets.packets WHERE id = $1 AND shares_left > 0 FOR UPDATE`,
    [packetId],
  );
  const earlier = await claimOf(tx, packetId, userId);
  if (earlier) return earlier;
  if (!packet?.is_open) throw hub.error("RED_PACKETS_GONE");
  const share = nextShare(packet);
  const claimId = hub.newId();
  await tx.query(
    `WITH taken AS (
       UPDATE ext_red_packets.packets SET coins_left = coins_left - $4, shares_left = shares_left - 1 WHERE id = $2
     )
     INSERT INTO ext_red_packets.claims (id, packet_id, user_id, coins) VALUES ($1, $2, $3, $4)`,
    [claimId, packetId, userId, share],
  );
  await tx.transfer({
    cause: "claim",
    id: claimId,
    by: caller,
    description: "Share of a red packet",
    entries: payment(userId, share),
  });
  const { room_id, shares_left } = packet;
  await tx.publish("red_packets.claimed", {
    ...{ packet_id: packetId, room_id, user_id: userId, coins: share, shares_left: shares_left - 1 },
  });
  return { coins: share };
}

/** Gives back what is left. Safe to run twice. */
export const settlePacket = (hub: Hub, packetId: string): Promise<void> =>
  hub.transaction(async (tx) => {
    const [packet] = await tx.query<{ sender_id: string; returned: number; bought: number }>(
      `UPDATE ext_red_packets.packets SET returned = coins_left, coins_left = 0
       WHERE id = $1 AND returned IS NULL AND expires_at <= now() + interval '1 second'
       RETURNING sender_id, returned, bought`,
      [packetId],
    );
    if (!packet || packet.returned === 0) return;
    const { sender_id: userId, returned, bought } = packet;
    await tx.transfer({
      cause: "rest",
      id: packetId,
      by: { kind: "service" },
      description: "Rest of a red packet",
      entries: payment(userId, returned, Math.min(bought, returned)),
    });
    const values = { coins: returned };
    const body = "{{coins}} coins of your red packet came back.";
    await tx.notify(userId, { key: packetId, title: "Your red packet", body, values });
  });

import type { EventHandler, GiftTotals, Hub, HubTx, UserPrincipal } from "#shared/extension/index.ts";
import { payment, spend } from "#shared/extension/index.ts";
import type { Battle, Invitation } from "./views.ts";

const columns = `id, room_id, rival_room_id, status, seconds, starts_at, ends_at, score, rival_score, winner_room_id,
  reward`;

/** A gift counts by when its transaction began. All of the window have committed by then, seconds. */
const graceSeconds = 6;

/** Returns the newest battles of a room. @throws NOT_FOUND */
export async function listBattles(hub: Hub, { userId }: UserPrincipal, roomId: string): Promise<Battle[]> {
  const room = await hub.room(roomId);
  if (!room || (await hub.areBlocked(userId, room.host.id))) throw hub.error("NOT_FOUND");
  return hub.query<Battle>(
    `SELECT ${columns} FROM ext_battles.battles WHERE room_id = $1 OR rival_room_id = $1
     ORDER BY created_at DESC LIMIT 20`,
    [roomId],
  );
}

/** Invites a room. @throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, BATTLES_BUSY */
export async function invite(hub: Hub, { userId }: UserPrincipal, body: Invitation): Promise<Battle> {
  const [room, rival] = await Promise.all([hub.room(body.room_id), hub.room(body.rival_room_id)]);
  const isHidden = ({ host }: typeof room & object) => hub.areBlocked(userId, host.id);
  if (!room || !rival || (await isHidden(room)) || (await isHidden(rival))) throw hub.error("NOT_FOUND");
  if (room.host.id !== userId) throw hub.error("FORBIDDEN");
  if (rival.host.id === userId) throw hub.error("VALIDATION_ERROR", "You can't battle a room of your own.");
  const openSeconds = hub.setting<number>("battles_invitation_seconds");
  return hub.transaction(async (tx) => {
    const id = hub.newId();
    const [battle] = await tx.query<Battle>(
      `INSERT INTO ext_battles.battles (id, room_id, rival_room_id, seconds, expires_at)
       SELECT $1::uuid, $2::uuid, $3::uuid, $4::int, now() + $5 * interval '1 second'
       WHERE NOT EXISTS (SELECT 1 FROM ext_battles.fighting WHERE room_id IN ($2, $3))
       ON CONFLICT (room_id) WHERE status = 'invited' DO NOTHING RETURNING ${columns}`,
      [id, room.id, rival.id, body.seconds, openSeconds],
    );
    if (!battle) throw hub.error("BATTLES_BUSY");
    await tx.publish("battles.updated", battle);
    await tx.enqueue("expire", {}, { afterSeconds: openSeconds + 1 });
    const values = { room: room.name, rival: rival.name };
    const text = "{{room}} invites your room {{rival}} to a battle.";
    await tx.notify(rival.host.id, { key: `${id}:invited`, title: "Battle", body: text, values });
    return battle;
  });
}

const statusAfter = { accept: "running", decline: "declined", withdraw: "withdrawn" } as const;
export type Answer = keyof typeof statusAfter;

/** Answers an invitation, as the host of the room that it is up to. @throws NOT_FOUND, BATTLES_OVER, BATTLES_BUSY */
export async function answer(hub: Hub, { userId }: UserPrincipal, battleId: string, how: Answer): Promise<Battle> {
  const [found] = await hub.query<Battle>(`SELECT ${columns} FROM ext_battles.battles WHERE id = $1`, [battleId]);
  if (!found) throw hub.error("NOT_FOUND");
  const [room, rival] = await Promise.all([hub.room(found.room_id), hub.room(found.rival_room_id)]);
  if ((how === "withdraw" ? room : rival)?.host.id !== userId) throw hub.error("NOT_FOUND");
  if (!room || !rival) throw hub.error("BATTLES_OVER");
  return hub.transaction(async (tx) => {
    const [battle] = await tx.query<Battle>(
      `UPDATE ext_battles.battles SET status = $2, starts_at = CASE $2 WHEN 'running' THEN now() END,
         ends_at = CASE $2 WHEN 'running' THEN now() + seconds * interval '1 second' END, host_id = $3, rival_host_id = $4
       WHERE id = $1 AND status = 'invited' AND expires_at > now() RETURNING ${columns}`,
      [battleId, statusAfter[how], room.host.id, rival.host.id],
    );
    if (!battle) throw hub.error("BATTLES_OVER");
    if (how === "accept") await start(hub, tx, battle);
    await tx.publish("battles.updated", battle);
    return battle;
  });
}

async function start(hub: Hub, tx: HubTx, battle: Battle): Promise<void> {
  const rooms = await tx.query(
    `INSERT INTO ext_battles.fighting (room_id, battle_id)
     SELECT room_id, $1 FROM unnest($2::uuid[]) AS room_id ORDER BY room_id ON CONFLICT DO NOTHING RETURNING 1`,
    [battle.id, [battle.room_id, battle.rival_room_id]],
  );
  if (rooms.length < 2) throw hub.error("BATTLES_BUSY");
  await tx.enqueue("end", { battle_id: battle.id }, { afterSeconds: battle.seconds + graceSeconds });
}

/** Adds up the gifts of both rooms from the start to the end. Nothing else counts, so every process finds the same. */
async function totalsOf(hub: Hub, { room_id, rival_room_id, starts_at, ends_at }: Battle) {
  const totals = await hub.giftTotals([room_id, rival_room_id], starts_at!, ends_at!);
  const of = (roomId: string): GiftTotals => totals.get(roomId) ?? { coins: 0, bought: 0 };
  return [of(room_id), of(rival_room_id)] as const;
}

/** Shows both rooms the score after gifts. */
export const showScores =
  (hub: Hub): EventHandler =>
  async (tx, events) => {
    const rooms = events.map(({ transaction }) => (transaction as { room_id: string }).room_id);
    const battles = await tx.query<Battle>(
      `SELECT ${columns} FROM ext_battles.battles WHERE status = 'running'
         AND id IN (SELECT battle_id FROM ext_battles.fighting WHERE room_id = ANY ($1::uuid[])) ORDER BY id`,
      [rooms],
    );
    for (const battle of battles) {
      const [own, rival] = await totalsOf(hub, battle);
      const [shown] = await tx.query<Battle>(
        `UPDATE ext_battles.battles SET score = $2, rival_score = $3
         WHERE id = $1 AND status = 'running' AND score + rival_score < $2::bigint + $3::bigint RETURNING ${columns}`,
        [battle.id, own.coins, rival.coins],
      );
      if (shown) await tx.publish("battles.updated", shown);
    }
  };

/** Ends a battle whose time is over. Safe to run twice. @throws Error while it isn't over */
export async function end(hub: Hub, battleId: string): Promise<void> {
  const [battle] = await hub.query<Battle & { due: boolean }>(
    `SELECT ${columns}, ends_at + $2 * interval '1 second' <= now() AS due
     FROM ext_battles.battles WHERE id = $1 AND status = 'running'`,
    [battleId, graceSeconds - 1],
  );
  if (!battle) return;
  if (!battle.due) throw new Error("the battle isn't over");
  const totals = await totalsOf(hub, battle);
  const [own, rival] = totals;
  const winner = own.coins === rival.coins ? null : own.coins > rival.coins ? 0 : 1;
  await hub.transaction(async (tx) => {
    const [ended] = await tx.query<Battle & { host_id: string; rival_host_id: string }>(
      `UPDATE ext_battles.battles SET status = 'ended', score = $2, rival_score = $3, winner_room_id = $4
       WHERE id = $1 AND status = 'running' RETURNING ${columns}, host_id, rival_host_id`,
      [battleId, own.coins, rival.coins, winner === null ? null : [battle.room_id, battle.rival_room_id][winner]],
    );
    if (!ended) return;
    await tx.query("DELETE FROM ext_battles.fighting WHERE battle_id = $1", [battleId]);
    const { host_id, rival_host_id, ...shown } = ended;
    const hosts = [host_id, rival_host_id] as const;
    const reward = winner === null ? 0 : await payReward(hub, tx, battleId, hosts[winner]!, totals[winner]!);
    await tx.publish("battles.updated", { ...shown, reward });
    for (const [place, host] of hosts.entries()) {
      const values = { own: totals[place]!.coins, rival: totals[1 - place]!.coins };
      const body = "The battle of your room is over: {{own}} to {{rival}}.";
      await tx.notify(host, { key: `${battleId}:ended`, title: "Battle", body, values });
    }
  });
}

/** Step: pays the winner's host a part of the bought coins, if the setting says so and the budget has them. */
async function payReward(hub: Hub, tx: HubTx, battleId: string, hostId: string, { bought }: GiftTotals) {
  const reward = Math.floor((bought * hub.setting<number>("battles_reward_percent")) / 100);
  if (reward === 0 || !(await spend(tx, "battles", reward))) return 0;
  const entries = payment(hostId, reward);
  await tx.transfer({ cause: "reward", id: battleId, by: { kind: "service" }, description: "Battle", entries });
  const sql = "UPDATE ext_battles.battles SET reward = $2, rewarded_id = $3 WHERE id = $1";
  await tx.query(sql, [battleId, reward, hostId]);
  return reward;
}

/** Ends invitations that were not answered in time. */
export const expire = (hub: Hub): Promise<void> =>
  hub.transaction(async (tx) => {
    const expired = await tx.query<Battle>(
      `UPDATE ext_battles.battles SET status = 'expired' WHERE status = 'invited' AND expires_at <= now()
       RETURNING ${columns}`,
    );
    for (const battle of expired) await tx.publish("battles.updated", battle);
  });

import { defineWorkload, type WorkloadPerson } from "#shared/extension/index.ts";
import type { Battle } from "./views.ts";

async function inviteAnother(person: WorkloadPerson): Promise<void> {
  const rivals = person.roomIds.filter((roomId) => roomId !== person.roomId);
  const rival_room_id = rivals[person.random(rivals.length)];
  if (rival_room_id) await person.call("post", "/battles", { room_id: person.roomId, rival_room_id, seconds: 30 });
}

/** Hosts invite and accept, and everyone gives. A result that was seen stays the same. */
export const fighting = defineWorkload({
  summary: "hosts fight battles, which the gifts of members decide",
  prepare: async ({ admin }) => {
    await admin("patch", "/settings", { battles_reward_percent: 10 });
    await admin("post", "/battles/funds", { coins: 10_000 });
  },
  place: () => new Map<string, string>(),
  act: async (person, results) => {
    if (!person.isHost || person.random(2) === 0) return person.give();
    const listed = await person.call<Battle[]>("get", `/battles?room_id=${person.roomId}`);
    if (!listed.ok) return undefined;
    for (const { id, status, score, rival_score, winner_room_id, reward } of listed.data) {
      const result = `${score} to ${rival_score}, ${winner_room_id}, ${reward}`;
      if (status === "ended" && (results.get(id) ?? result) !== result)
        person.violation(`Battle ${id} ended ${results.get(id)}, and then ${result}.`);
      if (status === "ended") results.set(id, result);
    }
    const invited = listed.data.find(({ status }) => status === "invited");
    if (invited?.rival_room_id === person.roomId) return person.call("post", `/battles/${invited.id}/accept`);
    return invited || listed.data.some(({ status }) => status === "running") ? undefined : inviteAnother(person);
  },
  expected: ["BATTLES_BUSY", "BATTLES_OVER", "INSUFFICIENT_BALANCE"],
  invariants: {
    "The budget of battles is what was put into it, less the rewards.": `
      SELECT coins FROM ext_battles.budget WHERE coins <> (SELECT coalesce(sum(coins), 0) FROM ext_battles.funds)
        - (SELECT coalesce(sum(reward), 0) FROM ext_battles.battles)`,
    "A battle occupies both of its rooms while it runs, and no longer.": `
      SELECT b.id FROM ext_battles.battles b LEFT JOIN ext_battles.fighting f ON f.battle_id = b.id
      GROUP BY b.id HAVING count(f.room_id) <> CASE b.status WHEN 'running' THEN 2 ELSE 0 END`,
    "A battle ends in time.": `
      SELECT id FROM ext_battles.battles WHERE status = 'running' AND ends_at < now() - interval '5 minutes'`,
  },
});

import { defineWorkload } from "#shared/extension/index.ts";

/** Members send packets, and take shares of those of others. A share that was acknowledged stays the same. */
export const sharing = defineWorkload({
  summary: "members send red packets, and take their shares",
  prepare: async ({ admin }) => {
    await admin("patch", "/settings", { red_packets_window_seconds: 10 });
  },
  place: () => ({ open: [] as string[], taken: new Map<string, number>() }),
  act: async (person, { open, taken }) => {
    if (open.length === 0 || person.random(4) === 0) {
      const packet = { room_id: person.roomId, coins: 10, shares: 5, kind: "drawn" };
      const sent = await person.call<{ id: string }>("post", "/red-packets", packet);
      if (sent.ok) open.push(sent.data.id);
      return;
    }
    const id = open[person.random(open.length)]!;
    const key = `${id} ${person.id}`;
    const before = taken.get(key);
    const claimed = await person.call<{ coins: number }>("post", `/red-packets/${id}/claims`);
    if (claimed.ok) taken.set(key, claimed.data.coins);
    if (claimed.ok && before !== undefined && before !== claimed.data.coins)
      person.violation(`${person.id} took ${before} coins of red packet ${id}, and then ${claimed.data.coins}.`);
    if (!claimed.ok && claimed.code === "RED_PACKETS_GONE") {
      if (before !== undefined) person.violation(`${person.id} lost the share of red packet ${id}.`);
      const place = open.indexOf(id);
      if (place >= 0) open.splice(place, 1);
    }
  },
  expected: ["RED_PACKETS_GONE", "INSUFFICIENT_BALANCE"],
  invariants: {
    "The coins of a red packet were taken, are held, or came back.": `
      SELECT p.id FROM ext_red_packets.packets p LEFT JOIN ext_red_packets.claims c ON c.packet_id = p.id
      GROUP BY p.id HAVING p.coins <> coalesce(sum(c.coins), 0) + p.coins_left + coalesce(p.returned, 0)`,
    "A red packet has as many shares as it says.": `
      SELECT p.id FROM ext_red_packets.packets p LEFT JOIN ext_red_packets.claims c ON c.packet_id = p.id
      GROUP BY p.id HAVING p.shares <> count(c.id) + p.shares_left`,
    "What is left of a red packet comes back after its window.": `
      SELECT id FROM ext_red_packets.packets WHERE returned IS NULL AND expires_at < now() - interval '3 minutes'`,
  },
});

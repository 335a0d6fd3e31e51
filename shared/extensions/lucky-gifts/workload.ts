import { defineWorkload } from "#shared/extension/index.ts";

interface Draw {
  readonly place: number | null;
  readonly coins: number;
}
const floor = 500;

/** Members send lucky gifts, and look at their draws. A draw that was seen stays the same. */
export const drawing = defineWorkload({
  summary: "members send lucky gifts, and look at their draws",
  prepare: async ({ admin, giftId }) => {
    await admin("patch", "/settings", { lucky_gifts_floor: floor });
    await admin("post", "/lucky-gifts/funds", { coins: 10_000 });
    await admin("post", "/lucky-gifts-gifts", { gift_id: giftId });
  },
  place: () => ({ sent: [] as { id: string; by: string; draw?: Draw }[] }),
  act: async (person, { sent }) => {
    const own = sent.filter(({ by }) => by === person.id);
    if (own.length === 0 || person.random(2) === 0) {
      const given = await person.give();
      if (given.ok) sent.push({ id: given.data.id, by: person.id });
      if (sent.length > 500) sent.shift();
      return;
    }
    const gift = own[person.random(own.length)]!;
    const seen = await person.call<Draw>("get", `/lucky-gifts/draws/${gift.id}`);
    if (gift.draw && !seen.ok && seen.code === "NOT_FOUND")
      person.violation(`The draw for the gift ${gift.id} is lost.`);
    if (!seen.ok) return;
    const { draw = seen.data } = gift;
    if (draw.place !== seen.data.place || draw.coins !== seen.data.coins)
      person.violation(`The draw for the gift ${gift.id} is another one.`);
    gift.draw = draw;
  },
  expected: ["NOT_FOUND", "INSUFFICIENT_BALANCE"],
  invariants: {
    "The pool of lucky gifts is what was put into it, less what was won.": `
      SELECT coins FROM ext_lucky_gifts.budget WHERE coins <> (SELECT coalesce(sum(coins), 0) FROM ext_lucky_gifts.funds)
        + (SELECT coalesce(sum(contribution - coins), 0) FROM ext_lucky_gifts.draws)`,
    "The pool of lucky gifts is never below its floor.": `
      SELECT coins FROM ext_lucky_gifts.budget WHERE coins < ${floor}`,
    "The draws of a seed are counted without a gap.": `
      SELECT s.id FROM ext_lucky_gifts.seeds s LEFT JOIN ext_lucky_gifts.draws d ON d.seed_id = s.id
      GROUP BY s.id HAVING s.draws <> count(d.id) OR s.draws <> coalesce(max(d.place) + 1, 0)`,
  },
});

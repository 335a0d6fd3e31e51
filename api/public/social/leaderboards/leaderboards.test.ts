import { expect } from "chai";
import { weekOf } from "#shared/domain/social/leaderboards/week.ts";
import { clock } from "#shared/kernel/clock.ts";
import { buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("GET /leaderboards", () => {
  const service = useService();

  it("shows a gift within moments, and the caller's rank", async () => {
    const [sender, recipient, gift] = await Promise.all([buildUser({ coins: 5000 }), buildUser(), buildGift()]);
    const room = await buildRoom({ host: recipient });
    for (const { token } of [recipient, sender])
      await service.call("post", `/rooms/${room.id}/join`, { token, body: {} });
    const sent = await service.call("post", `/rooms/${room.id}/gifts`, {
      token: sender.token,
      body: { gift_id: gift.id, recipient_id: recipient.id, quantity: 400 },
    });
    expect(sent.status).to.equal(201);
    const boardOf = async (scope: string, { token } = sender) =>
      (await service.call("get", `/leaderboards?scope=${scope}&period=weekly&limit=100`, { token })).body.data;
    await until("the gift is counted", async () => (await boardOf("gift_senders")).me?.score === 4000);
    const board = await boardOf("gift_senders");
    const { startsAt, endsAt } = weekOf(clock.now());
    expect(board).to.include({ scope: "gift_senders", period: "weekly", starts_at: startsAt, ends_at: endsAt });
    const place = board.items.find(({ user }: { user: { id: string } }) => user.id === sender.id);
    expect(place).to.deep.include({ rank: board.me.rank, score: 4000 });
    expect((await boardOf("gift_receivers", recipient)).me.score).to.equal(4000);
    expect((await boardOf("top_hosts", recipient)).me.score).to.equal(4000);
    expect((await boardOf("activity")).me.score).to.equal(5);
    expect(await boardOf("popular_rooms")).to.deep.include({ scope: "popular_rooms", me: null });
  });

  it("rejects unknown scopes and periods", async () => {
    const { token } = await buildUser();
    for (const asked of ["", "?scope=richest", "?scope=activity&period=daily", "?scope=activity&limit=101"]) {
      const { status, body } = await service.call("get", `/leaderboards${asked}`, { token });
      expect([status, body.error.code], asked).to.deep.equal([400, "VALIDATION_ERROR"]);
    }
    expect((await service.call("get", "/leaderboards?scope=activity")).status).to.equal(401);
    expect((await service.call("get", "/leaderboards?scope=activity", { token })).status).to.equal(200);
  });
});

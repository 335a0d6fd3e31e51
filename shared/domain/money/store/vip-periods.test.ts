import { expect } from "chai";
import type { UserCard, VipBadge } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { getMe, getProfile } from "#shared/domain/identity/users/profile.queries.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { receiveWebhook } from "#shared/domain/money/payments/receive-webhook.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { act } from "#shared/testing/pay.ts";
import { callerOf } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { recordEvents } from "#shared/testing/record-events.ts";
import { buildFrame, buildPlan } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { buyFrame } from "./buy-frame.ts";
import { equipFrame } from "./equip-frame.ts";
import { expireFrames, expireStore, expireVip } from "./expire-store.ts";
import { orderVip } from "./order-vip.ts";
import { beginPaidVip, endRefundedVip } from "./vip-periods.ts";

describe("VIP", () => {
  useService();
  const published = usePublishedEvents();

  type Plan = Awaited<ReturnType<typeof buildPlan>>;
  const tell = ({ body, headers }: Awaited<ReturnType<typeof act>>) =>
    receiveWebhook("sandbox", Buffer.from(body), headers);
  const shownTo = async ({ id }: BuiltUser): Promise<VipBadge | null> => (await findUserCard(id)).vip;
  const periodOf = (orderId: string) =>
    queryOne<{ starts_at: string; ends_at: string; ended_at: string | null }>(
      "SELECT starts_at, ends_at, ended_at FROM vip_periods WHERE order_id = $1",
      [orderId],
    );

  /** Buys a plan and waits until it has started. */
  async function buyVip(user: BuiltUser, plan: Plan) {
    const { order } = await orderVip(callerOf(user), plan.id);
    const at = order.provider_order_id!;
    await tell(await act(at, "pay"));
    await until("VIP has begun", () => periodOf(order.id), 15_000);
    const refund = async () => {
      await tell(await act(at, "refund"));
      await until("VIP has ended", async () => (await periodOf(order.id))?.ended_at, 15_000);
    };
    return { id: order.id, refund };
  }

  const inDays = (days: number) => Date.now() + daysMs(days);
  /** Moves everything a user has bought back in time. */
  const pass = ({ id }: BuiltUser, days: number) =>
    query(
      `UPDATE vip_periods SET starts_at = starts_at - $2 * interval '1 day', ends_at = ends_at - $2 * interval '1 day'
       WHERE user_id = $1`,
      [id, days],
    );

  it("starts with the payment and shows on every card", async () => {
    const [user, viewer, plan] = await Promise.all([buildUser(), buildUser(), buildPlan({ duration_days: 30 })]);
    expect(await shownTo(user)).to.equal(null);
    await buyVip(user, plan);
    const badge = await shownTo(user);
    expect(badge).to.deep.include({ plan_id: plan.id, name: plan.name, badge_url: plan.badge_url });
    expect(Date.parse(badge!.expires_at)).to.be.closeTo(inDays(30), 60_000);
    const shown: UserCard[] = [await getMe(user.id), await getProfile(viewer.id, user.id)];
    for (const { vip } of shown) expect(vip).to.deep.equal(badge);
    expect(await shownTo(viewer)).to.equal(null);
  });

  it("starts once, however often the event is delivered", async () => {
    const [user, plan] = await Promise.all([buildUser(), buildPlan({ duration_days: 30 })]);
    const { id } = await buyVip(user, plan);
    const order = { order_id: id, user_id: user.id, kind: "vip" } as const;
    await Promise.all(Array.from({ length: 10 }, () => recordEvents(beginPaidVip, order)));
    expect(await query("SELECT 1 FROM vip_periods WHERE user_id = $1", [user.id])).to.have.length(1);
    expect(await published.of("user.card_changed", { user_id: user.id })).to.have.length(1);
  });

  it("extends the same plan; another plan runs alongside, and the one bought last is shown", async () => {
    const [user, silver, gold] = await Promise.all([
      buildUser(),
      buildPlan({ duration_days: 30 }),
      buildPlan({ duration_days: 7 }),
    ]);
    await buyVip(user, silver);
    await buyVip(user, silver);
    expect(Date.parse((await shownTo(user))!.expires_at)).to.be.closeTo(inDays(60), 60_000);
    await buyVip(user, gold);
    expect(await shownTo(user)).to.include({ plan_id: gold.id });
    expect(Date.parse((await shownTo(user))!.expires_at)).to.be.closeTo(inDays(7), 60_000);
    await pass(user, 10);
    expect(await shownTo(user)).to.include({ plan_id: silver.id });
    expect(Date.parse((await shownTo(user))!.expires_at)).to.be.closeTo(inDays(50), 60_000);
  });

  it("starts again when bought after it has expired, whether or not the job has run", async () => {
    const [user, plan] = await Promise.all([buildUser(), buildPlan({ duration_days: 30 })]);
    await buyVip(user, plan);
    await pass(user, 40);
    expect(await shownTo(user)).to.equal(null);
    await buyVip(user, plan);
    expect(Date.parse((await shownTo(user))!.expires_at)).to.be.closeTo(inDays(30), 60_000);
  });

  it("ends at once with a refund, and later periods move up", async () => {
    const [user, plan] = await Promise.all([buildUser(), buildPlan({ duration_days: 30 })]);
    const first = await buyVip(user, plan);
    const second = await buyVip(user, plan);
    const third = await buyVip(user, plan);
    await pass(user, 10);
    await second.refund();
    expect(Date.parse((await shownTo(user))!.expires_at)).to.be.closeTo(inDays(50), 60_000);
    await first.refund();
    expect(Date.parse((await shownTo(user))!.expires_at)).to.be.closeTo(inDays(30), 60_000);
    expect(Date.parse((await periodOf(third.id))!.starts_at)).to.be.at.most(Date.now());
    await third.refund();
    expect(await shownTo(user)).to.equal(null);
  });

  it("does not start for an order that was refunded before the event is delivered", async () => {
    const [user, plan] = await Promise.all([buildUser(), buildPlan()]);
    const { id, refund } = await buyVip(user, plan);
    await refund();
    await query("DELETE FROM vip_periods WHERE order_id = $1", [id]);
    await recordEvents(endRefundedVip, { order_id: id, user_id: user.id, kind: "vip" });
    await recordEvents(beginPaidVip, { order_id: id, user_id: user.id, kind: "vip" });
    expect(await periodOf(id)).to.equal(undefined);
  });

  it("lasts as long as the plan did when it was ordered", async () => {
    const [user, plan] = await Promise.all([buildUser(), buildPlan({ duration_days: 30 })]);
    const { order } = await orderVip(callerOf(user), plan.id);
    await query("UPDATE vip_plans SET duration_days = 1, price = 1, retired_at = now() WHERE id = $1", [plan.id]);
    await tell(await act(order.provider_order_id!, "pay"));
    await until("VIP has begun", () => periodOf(order.id), 15_000);
    expect(Date.parse((await shownTo(user))!.expires_at)).to.be.closeTo(inDays(30), 60_000);
  });
});

describe("expiry in the store", () => {
  useService();
  const published = usePublishedEvents();

  it("is scheduled by the purchase", async () => {
    const asked = () =>
      query<{ days: number }>(
        `SELECT round(extract(epoch FROM start_after - now()) / 86400)::int AS days FROM pgboss.job
         WHERE name = 'store.expire' AND created_on > now() - interval '1 minute'`,
      );
    const [user, frame, plan] = await Promise.all([
      buildUser({ coins: 100 }),
      buildFrame({ duration_days: 4 }),
      buildPlan({ duration_days: 91 }),
    ]);
    await buyFrame(callerOf(user), { frameId: frame.id });
    const { order } = await orderVip(callerOf(user), plan.id);
    await query("UPDATE payment_orders SET status = 'paid', paid_at = now() WHERE id = $1", [order.id]);
    await recordEvents(beginPaidVip, { order_id: order.id, user_id: user.id, kind: "vip" });
    expect((await asked()).map(({ days }) => days)).to.include.members([4, 91]);
    await query("UPDATE payment_orders SET status = 'created', paid_at = NULL WHERE id = $1", [order.id]);
  });

  it("is applied by the job to everything that has expired", async () => {
    const [user, frame] = await Promise.all([buildUser({ coins: 100 }), buildFrame({ duration_days: 4 })]);
    await buyFrame(callerOf(user), { frameId: frame.id });
    await query("UPDATE frame_ownerships SET expires_at = now() WHERE user_id = $1", [user.id]);
    await Promise.all([expireStore(), expireStore()]);
    expect(await query("SELECT 1 FROM frame_ownerships WHERE user_id = $1", [user.id])).to.have.length(0);
  });

  it("is published once by jobs that may run twice and concurrently", async () => {
    const [user, kept, frame, plain, plan] = await Promise.all([
      buildUser({ coins: 100 }),
      buildUser({ coins: 100 }),
      buildFrame({ duration_days: 7 }),
      buildFrame({ duration_days: 7 }),
      buildPlan(),
    ]);
    for (const one of [user, kept]) {
      for (const { id } of [frame, plain]) await buyFrame(callerOf(one), { frameId: id });
      await equipFrame(callerOf(one), frame.id);
    }
    const { order } = await orderVip(callerOf(user), plan.id);
    await query(
      `INSERT INTO vip_periods (order_id, user_id, plan_id, starts_at, ends_at)
       VALUES ($1, $2, $3, now() - interval '2 days', now() - interval '1 day')`,
      [order.id, user.id, plan.id],
    );
    await query("UPDATE frame_ownerships SET expires_at = now() WHERE user_id = $1", [user.id]);
    const changedCards = async () => (await published.of("user.card_changed", { user_id: user.id })).length;
    const before = await changedCards();
    for (let run = 0; run < 2; run += 1) await Promise.all([expireVip(), expireVip(), expireFrames(), expireFrames()]);
    expect([await expireVip(), await expireFrames()]).to.deep.equal([0, 0]);
    expect((await changedCards()) - before).to.equal(2);
    const left = await query("SELECT user_id FROM frame_ownerships WHERE user_id = ANY($1::uuid[])", [
      [user.id, kept.id],
    ]);
    expect(left.map(({ user_id }) => user_id)).to.deep.equal([kept.id, kept.id]);
    expect(await query("SELECT 1 FROM frame_purchases WHERE user_id = $1", [user.id])).to.have.length(2);
    expect(
      await queryOne("SELECT ended_at = ends_at AS noted FROM vip_periods WHERE order_id = $1", [order.id]),
    ).to.include({
      noted: true,
    });
  });

  it("is published when a frame is bought again before the job has run", async () => {
    const [user, frame] = await Promise.all([buildUser({ coins: 200 }), buildFrame({ duration_days: 7 })]);
    await buyFrame(callerOf(user), { frameId: frame.id });
    await equipFrame(callerOf(user), frame.id);
    await query("UPDATE frame_ownerships SET expires_at = now() WHERE user_id = $1", [user.id]);
    expect(await buyFrame(callerOf(user), { frameId: frame.id })).to.include({ owned_by_me: true, equipped: false });
    expect(await published.of("user.card_changed", { user_id: user.id })).to.have.length(2);
  });
});

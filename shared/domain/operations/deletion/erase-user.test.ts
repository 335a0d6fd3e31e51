import { expect } from "chai";
import { pruneKeys } from "#shared/db/idempotency.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { daysMs, secondsMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildMarked, type Marked, tablesWith, textColumns } from "#shared/testing/canaries.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import "#shared/testing/fakes/sandbox-payments.ts";
import { pathsIn } from "#shared/testing/media.ts";
import { callerOf } from "#shared/testing/people.ts";
import { mediaFolder, noEngine, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { type EraseStep, eraseSteps } from "./erase-steps.ts";
import { enqueueOverdue, eraseUser } from "./erase-user.ts";
import { deletionDays, requestDeletion } from "./request-deletion.ts";

/**
 * Columns that never contain user input or identify a user; `*` is any table. A column that is in neither of the two,
 * this list or those that `buildMarked` marks, fails the test: say here that it holds nothing, or mark it there and let
 * the step of its feature erase it.
 */
const holdNothingTyped = {
  "one of a few words of ours": `age_signals.* *.principal_kind *.status *.type *.kind *.currency *.asset *.provider *.channel *.platform *.visibility *.scope
    *.topic *.house gift_shares.taker payout_steps.from_house payout_steps.to_house payouts.flag payment_refunds.dispute *.media_right *.target_type *.reference_type *.revoked_reason *.outcome store_purchases.environment store_purchases.state subscriptions.price_consent post_comments.moderation conversation_members.role payment_orders.flag media.purpose media.state media.content_type reports.action rooms.category live_rooms.category
    rooms.language users.country users.language`,
  "ids, hashes and numbers of ours": `payouts.account_ref payouts.provider_id payouts.reference payouts.details_sealed message_reactions.emoji held_content.place held_content.circumstances conversation_invites.code conversations.picture_url support_tickets.media direct_messages.media direct_messages.mentions direct_messages.reactions room_messages.media room_messages.mentions room_messages.reactions media.sha256 media.waveform *.password_hash api_keys.public_key api_keys.allowed_addresses *.group_key *.event_key *.process_id *.data game_lobbies.players
    sessions.way identities.secret text_days.country text_days.price_class store_positions.store game_sessions.seed game_sessions.state user_exports.state room_states.live users.settings sandbox_orders.id sandbox_deliveries.behaviour sealed_keys.* voice_evidence.key_sealed catalogue_codes.code_sealed users.totp_secret_sealed event_endpoints.* event_log.* event_sinks.* webhook_endpoints.secret_sealed webhook_deliveries.body webhook_deliveries.error sandbox_payments.id
    sandbox_payments.order_id sandbox_payments.refund_id payment_orders.provider_order_id payment_orders.checkout_url payment_findings.provider_id payment_findings.subject payments.provider_payment_id
    payment_refunds.provider_refund_id reversed_refunds.provider_refund_id http_hooks.* store_purchases.transaction_id store_purchases.original_transaction_id subscriptions.provider_subscription_id payment_events.event_id payment_events.summary outbox.payload
    outbox_deliveries.payload outbox_deliveries.target outbox_dead_letters.target outbox_dead_letters.error`,
  "words of the house": `offers.* payout_methods.* payouts.failure sellers.name seller_reversals.reason coupons.* split_plans.* agencies.* contracts.ended_by agency_plans.* runs.* run_lines.* run_sums.* run_corrections.* policy_texts.* rules.* terms_acceptances.version sanctions.* held_content.rule_name held_content.reason held_content.note appeals.answer sticker_packs.* stickers.* media.reason admins.* admin_recovery_codes.* admin_sessions.* audit_archives.* audit_head.* audit_log.* ledger_chain.* ledger_tree_heads.* broadcasts.* campaigns.* coin_packages.* catalogue_categories.* catalogue_top_ups.* catalogue_services.* catalogue_campaigns.* catalogue_cards.* catalogue_card_services.* catalogue_gateways.*
    catalogue_orders.product_name catalogue_orders.delivery catalogue_orders.problem catalogue_orders.service_name catalogue_orders.reason catalogue_orders.payment catalogue_orders.discount_type frames.* gifts.* gift_categories.* migrations.* roles.* server_keys.*
    settings.* receipts.* receipt_series.* vip_plans.* store_products.* payment_orders.title sandbox_orders.title ledger_movements.description coin_grants.reason balance_adjustments.reason voice_evidence.reason payment_refund_requests.reason
    payment_refund_requests.failure stat_quarters.metric stat_totals.metric ticket_answers.message mail_outbox.subject
    mail_outbox.text_body mail_outbox.html_body posts.status_reason post_comments.status_reason reports.note rooms.close_reason
    users.suspended_reason`,
  "looked for by itself": "users.mobile sessions.ip",
};

const holdsNothing = (column: string): boolean => {
  const [table, name] = column.split(".");
  const listed = Object.values(holdNothingTyped).join(" ").split(/\s+/);
  return [column, `*.${name}`, `${table}.*`].some((pattern) => listed.includes(pattern));
};

describe("deleting an account", () => {
  const service = useService();
  const clock = useClock();
  afterEach(closeClients);
  /** Other test files of this database plant some. */
  let planted: string[] = [];
  before("looks at the ledger", async () => {
    planted = await checkLedger();
  });
  const newDifferences = async () => (await checkLedger()).filter((difference) => !planted.includes(difference));

  const login = ({ mark: identifier, password }: Pick<Marked, "mark" | "password">) =>
    service.call("post", "/auth/login", { body: { identifier, password } });
  const ask = ({ token }: { token: string }) => service.call("post", "/account/delete-request", { token });
  const account = (id: string) =>
    queryOne<Record<string, unknown>>(
      `SELECT to_jsonb(u) - 'id' - 'created_at' - 'erased_at' AS row, erased_at IS NOT NULL AS erased FROM users u
       WHERE id = $1`,
      [id],
    );
  const erased = (id: string) => until("the account is erased", async () => (await account(id))?.erased, 15_000);
  /** 14 days and some seconds later, for our clock and for the queue's. */
  async function whenDue(userId: string): Promise<void> {
    clock.forward(daysMs(deletionDays) + secondsMs(10));
    await query("UPDATE pgboss.job SET start_after = now() WHERE name = 'deletion.erase' AND data ->> 'user_id' = $1", [
      userId,
    ]);
  }

  it("leaves nothing that the user typed in any table, and other people's data unchanged", async () => {
    const zoe = await buildMarked(service);
    const marks = [zoe.mark, zoe.mobile];
    const unknown = (await textColumns(zoe.mark)).filter(({ name, marked }) => !marked && !holdsNothing(name));
    expect(unknown.map(({ name }) => name)).to.deep.equal([]);
    expect((await storedNames()).some((name) => name.includes(zoe.mediaId))).to.equal(true);
    const balance = await balanceOf(zoe.id);
    const friend = await connectSocket(service.url, zoe.friend.token);
    await friend.ask("room:join", { room_id: zoe.roomId, password: `${zoe.mark} pw` });

    expect((await ask(zoe)).status).to.equal(200);
    await whenDue(zoe.id);
    // The friend's token expires on the way, and with it the connection.
    const roomStatus = () => queryOne("SELECT status FROM rooms WHERE id = $1", [zoe.roomId]);
    await until("the room is closed", async () => (await roomStatus())?.status === "closed");
    await erased(zoe.id);
    await forgetAnswers();

    expect(await tablesWith(marks)).to.deep.equal([]);
    await until("their files are gone", async () => !(await storedNames()).some((name) => name.includes(zoe.mediaId)));
    expect((await account(zoe.id))?.row).to.deep.include({
      ...{ status: "deleted", full_name: "", email: null, mobile: null, date_of_birth: null, bio: "", country: null },
      ...{
        avatar_url: null,
        cover_url: null,
        settings: {},
        password_hash: "",
        last_seen_at: null,
        deletion_due_at: null,
      },
    });
    expect((await account(zoe.id))?.row)
      .to.have.property("username")
      .that.matches(/^deleted_[0-9a-f]{20}$/);
    expect(await newDifferences()).to.deep.equal([]);
    expect(await balanceOf(zoe.id)).to.equal(balance);
    await othersKeepTheirs(zoe);
  });

  const storedNames = () => pathsIn(mediaFolder);

  async function othersKeepTheirs({ id, mark, password, friend, conversationId, friendsPostId, roomId }: Marked) {
    const get = async (path: string) => (await service.call("get", path, { token: friend.token })).body.data;
    expect(await get("/users/me")).to.include({ followers_count: 0, following_count: 0 });
    expect(await get(`/posts/${friendsPostId}`)).to.include({ likes_count: 0, comments_count: 0 });
    const [message, first] = (await get(`/conversations/${conversationId}/messages`)).items;
    expect(message).to.include({ body: "I see.", sender_id: friend.id });
    expect(first).to.include({ body: "", attachment_url: null, sender_id: id });
    const { items } = await get("/gifts/transactions/received");
    expect(items[0].sender).to.include({ id, full_name: "", avatar_url: null, is_online: false, vip: null });
    expect((await get(`/rooms/${roomId}`)).status).to.equal("closed");
    expect((await service.call("get", `/users/${id}`, { token: friend.token })).status).to.equal(404);
    const again = await login({ mark, password });
    expect([again.status, again.body.error.code]).to.deep.equal([401, "INVALID_CREDENTIALS"]);
    // The name is free again, and the name of the deleted account is reserved.
    const form = { full_name: "Zoe", password, confirm_password: password, terms_accepted: true };
    const make = (username: string) =>
      service.call("post", "/auth/register", { body: { ...form, username, email: `${username}@example.com` } });
    expect((await make(mark)).status).to.equal(201);
    expect((await make(`deleted_${newId().slice(-8)}`)).status).to.equal(400);
  }

  it("closes the user's rooms before the eyes of those in them", async () => {
    const [host, guest] = [await buildUser(), await buildUser()];
    const { id: room_id } = await buildRoom({ host });
    const { ask: send, inbox } = await connectSocket(service.url, guest.token);
    expect((await send("room:join", { room_id })).success).to.equal(true);
    await requestDeletion(callerOf(host));
    // Not by the clock: the guest's token would expire, and with it the connection.
    await query("UPDATE users SET deletion_due_at = now() - interval '1 minute' WHERE id = $1", [host.id]);

    await eraseUser(host.id, service.actors);

    expect(await inbox.next("room:closed")).to.include({ room_id });
    expect((await send("room:message", { room_id, body: "Hello?" })).error.code).to.equal("ROOM_CLOSED");
  });

  it("continues wherever it was killed, and may run twice at once", async () => {
    const zoe = await buildMarked(service);
    await ask(zoe);
    const killed: EraseStep = async () => {
      throw new Error("killed");
    };
    const outcome = (run: Promise<void>) => run.then(() => "done").catch(({ message }: Error) => message);
    // Not due yet: nothing at all happens.
    await eraseUser(zoe.id, service.actors);
    expect((await account(zoe.id))?.row).to.include({ status: "deletion_pending", username: zoe.mark });
    clock.forward(daysMs(deletionDays) + secondsMs(10));
    // Killed before the rooms are closed, since no engine can be reached; then in each step.
    expect(await outcome(eraseUser(zoe.id, noEngine))).to.equal("no engine in this test");
    for (let step = 0; step <= eraseSteps.length; step += 1) {
      expect(await outcome(eraseUser(zoe.id, service.actors, [...eraseSteps.slice(0, step), killed]))).to.equal(
        "killed",
      );
      expect((await login(zoe)).status).to.equal(401);
    }
    expect((await account(zoe.id))?.erased).to.equal(false);
    await Promise.all([eraseUser(zoe.id, service.actors), eraseUser(zoe.id, service.actors)]);
    await forgetAnswers();
    expect(await tablesWith([zoe.mark, zoe.mobile])).to.deep.equal([]);
    const left = await account(zoe.id);
    expect(left?.erased).to.equal(true);
    await eraseUser(zoe.id, service.actors);
    expect(await account(zoe.id)).to.deep.equal(left);
    expect(await newDifferences()).to.deep.equal([]);
  });

  it("erases more than one batch, and keeps the counters of others right", async () => {
    const [ada, friend, { id: roomId }] = [await buildUser(), await buildUser(), await buildRoom()];
    await query(
      `INSERT INTO room_messages (id, room_id, user_id, body)
       SELECT gen_random_uuid(), $1, $2, 'Hello' FROM generate_series(1, 2500)`,
      [roomId, ada.id],
    );
    await query(
      `INSERT INTO posts (id, author_id, content, likes_count, comments_count)
       SELECT uuidv7(), $1, 'Hello', 1, 2 FROM generate_series(1, 1200)`,
      [friend.id],
    );
    await query("INSERT INTO post_likes (post_id, user_id) SELECT id, $2 FROM posts WHERE author_id = $1", [
      friend.id,
      ada.id,
    ]);
    await query(
      `INSERT INTO post_comments (id, post_id, author_id, content)
       SELECT gen_random_uuid(), p.id, c.author_id, 'Hello'
       FROM posts p, (VALUES ($1::uuid), ($2::uuid)) AS c (author_id) WHERE p.author_id = $1`,
      [friend.id, ada.id],
    );
    await ask(ada);
    clock.forward(daysMs(deletionDays) + secondsMs(10));
    await eraseUser(ada.id, service.actors);
    const left = await queryOne(
      `SELECT (SELECT count(*) FROM room_messages WHERE user_id = $1 AND (body <> '' OR deleted_at IS NULL)) AS messages,
         (SELECT count(*) FROM post_likes WHERE user_id = $1) AS likes,
         (SELECT count(*) FROM post_comments WHERE author_id = $1 AND (content <> '' OR deleted_at IS NULL)) AS comments,
         (SELECT count(*) FROM posts WHERE author_id = $2 AND likes_count = 0 AND comments_count = 1) AS right`,
      [ada.id, friend.id],
    );
    expect(left).to.deep.equal({ messages: 0, likes: 0, comments: 0, right: 1200 });
    // Out of the feed of other tests.
    await query("UPDATE posts SET status = 'removed' WHERE author_id = $1", [friend.id]);
  });

  it("is found by the hourly job when its own was lost or failed", async () => {
    const [lost, halfway, early] = [await buildUser(), await buildUser(), await buildUser()];
    for (const user of [lost, halfway]) await ask(user);
    await query("DELETE FROM pgboss.job WHERE name = 'deletion.erase'");
    clock.forward(daysMs(deletionDays) + secondsMs(10));
    const step: EraseStep = async () => {
      throw new Error("killed");
    };
    await eraseUser(halfway.id, service.actors, [step]).catch(() => undefined);
    await requestDeletion(callerOf(early));
    clock.forward(secondsMs(3600));
    await enqueueOverdue();
    await erased(lost.id);
    await erased(halfway.id);
    expect((await account(early.id))?.row).to.include({ status: "deletion_pending" });
  });
});

/** Idempotency results of the user and of others are kept for a day, and this is 14 days later. */
async function forgetAnswers(): Promise<void> {
  await query("UPDATE idempotency_keys SET created_at = created_at - interval '14 days'");
  while ((await pruneKeys()) > 0);
}

async function balanceOf(userId: string): Promise<number | undefined> {
  return (await queryOne<{ balance: number }>("SELECT balance FROM wallets WHERE user_id = $1", [userId]))?.balance;
}

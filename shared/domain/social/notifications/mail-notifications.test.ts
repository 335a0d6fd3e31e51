import { expect } from "chai";
import { service } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { updateMe } from "#shared/domain/identity/users/update-me.ts";
import { removeMessage } from "#shared/domain/operations/moderation/remove-message.ts";
import { openConversation } from "#shared/domain/social/conversations/open-conversation.ts";
import { sendMessage } from "#shared/domain/social/conversations/send-message.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";

import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { callerOf, setStatus } from "#shared/testing/people.ts";
import { recordEvents } from "#shared/testing/record-events.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { mailDelaySeconds, mailNotification } from "./mail-notifications.ts";
import { markAllNotificationsRead } from "./mark-read.ts";
import { contentOf } from "./push-contents.ts";
import { notifyOfComment, notifyOfFriendRequest, notifyOfLike, sendMessageAlerts } from "./record-notifications.ts";

describe("emails about notifications", () => {
  useService();
  const clock = useClock();
  let ada: BuiltUser;
  let bob: BuiltUser;

  const wantsMail = (user: BuiltUser, email: boolean) =>
    updateMe(callerOf(user), { settings: { notifications: { email } } });
  beforeEach(async () => {
    [ada, bob] = await Promise.all([buildUser({ full_name: "Ada" }), buildUser({ full_name: "Bob" })]);
    await query("UPDATE users SET email_verified_at = now() WHERE id = $1", [ada.id]);
    await wantsMail(ada, true);
  });

  const befriend = (from = bob) =>
    recordEvents(notifyOfFriendRequest, { request_id: newId(), sender_id: from.id, recipient_id: ada.id });
  const comment = () =>
    recordEvents(notifyOfComment, { post_id: newId(), comment_id: newId(), author_id: ada.id, user_id: bob.id });

  const goOnline = () =>
    query("INSERT INTO online_users VALUES ($1, 'test', now() + interval '1 minute') ON CONFLICT DO NOTHING", [ada.id]);
  const jobs = () =>
    query<{ id: string; data: { about: { notification_id: string } }; waits: number }>(
      `SELECT j.id, j.data, extract(epoch FROM j.start_after - j.created_on) AS waits FROM pgboss.job j
       WHERE name = 'notifications.mail'
         AND (data #>> '{about,notification_id}' IN (SELECT id::text FROM notifications WHERE user_id = $1)
           OR data #>> '{about,message_id}' IN (SELECT id::text FROM direct_messages WHERE sender_id = $2))
       ORDER BY j.created_on`,
      [ada.id, bob.id],
    );
  /** Runs the jobs, as the queue would after their delay; as often as it likes. */
  async function run(): Promise<string[]> {
    for (const { data } of await jobs()) await mailNotification(data.about);
    const sent = await query<{ subject: string }>("SELECT subject FROM mail_outbox WHERE recipient = $1 ORDER BY id", [
      ada.email,
    ]);
    return sent.map(({ subject }) => subject);
  }

  it("say what happened and how to stop them, after a delay in which it may be read", async () => {
    await befriend();
    const [job] = await jobs();
    expect(Math.round(Number(job?.waits))).to.equal(mailDelaySeconds);

    expect(await run()).to.deep.equal(["Friend request - Hubbub"]);

    const [mail] = await query<{ text_body: string }>("SELECT text_body FROM mail_outbox WHERE recipient = $1", [
      ada.email,
    ]);
    expect(mail?.text_body).to.include("Bob sent you a friend request.").and.include("turn off Email");
  });

  it("come once for each kind of notification in a day", async () => {
    const carol = await buildUser();
    for (const cause of [befriend, () => befriend(carol), comment, comment]) await cause();
    expect((await run()).toSorted()).to.deep.equal(["Friend request - Hubbub", "New comment - Hubbub"]);

    clock.forward(daysMs(1));
    await query("DELETE FROM pgboss.job WHERE name = 'notifications.mail'");
    await comment();
    expect(await run()).to.have.length(3);
  });

  it("tell of a direct message", async () => {
    const { conversation } = await openConversation(callerOf(bob), ada.id);
    const { message } = await sendMessage(callerOf(bob), conversation.id, { body: "Are you there?" });
    for (const _delivery of [1, 2]) await recordEvents(sendMessageAlerts, { message, recipient_id: ada.id });
    expect(await jobs()).to.have.length(1);
    expect(await run()).to.deep.equal(["New message from Bob - Hubbub"]);
  });

  it("don't tell of a direct message that was removed meanwhile", async () => {
    const { conversation } = await openConversation(callerOf(bob), ada.id);
    const attachment_url = "https://cdn.example.com/a.png";
    const { message } = await sendMessage(callerOf(bob), conversation.id, { body: "Buy coins", attachment_url });
    await recordEvents(sendMessageAlerts, { message, recipient_id: ada.id });
    await inTransaction((tx) => removeMessage(tx, service, message.id));

    expect(await run()).to.deep.equal([]);
    expect(await contentOf({ message_id: message.id })).to.equal(undefined);
  });

  const reasonsNotTo: Record<string, () => Promise<unknown>> = {
    "the setting is off": () => wantsMail(ada, false),
    "the address is not verified": () => query("UPDATE users SET email_verified_at = NULL WHERE id = $1", [ada.id]),
    "the user is online": goOnline,
    "the account is suspended": () => setStatus(ada, "suspended"),
  };

  for (const [reason, happens] of Object.entries(reasonsNotTo)) {
    it(`are not requested when ${reason}`, async () => {
      await happens();
      await befriend();
      expect(await jobs()).to.deep.equal([]);
    });

    it(`are not sent when meanwhile ${reason}`, async () => {
      await befriend();
      await happens();
      expect(await run()).to.deep.equal([]);
    });
  }

  it("are not sent when the notification was read", async () => {
    await befriend();
    await markAllNotificationsRead(callerOf(ada));
    expect(await run()).to.deep.equal([]);
  });

  it("are not for what can wait, and off by default", async () => {
    await recordEvents(notifyOfLike, { post_id: newId(), author_id: ada.id, user_id: bob.id });
    expect(await jobs()).to.deep.equal([]);
    const { settings } = await updateMe(callerOf(await buildUser()), {});
    expect(settings.notifications.email).to.equal(false);
  });
});

import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { eraseTickets } from "#shared/domain/operations/tickets/erase-tickets.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket, type Payload } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("tickets for administrators", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let user: BuiltUser;
  before(async () => {
    [admin, user] = [await buildAdmin(["tickets.read", "tickets.write"]), await buildUser()];
  });
  afterEach(closeClients);

  const open = async (token?: string, email = `${newId()}@example.com`): Promise<{ id: string; email: string }> => {
    const body = { subject: "I can't log in", message: "The code never arrives.", email };
    const { body: answer } = await service.call("post", "/support/tickets", { body, ...(token && { token }) });
    return { id: answer.data.id, email };
  };
  const respond = (id: string, body: object = { message: "Please <try> again." }, key = newId()) =>
    service.admin("post", `/tickets/${id}/respond`, {
      token: admin.token,
      body,
      headers: { "Idempotency-Key": key },
    });
  const get = async (path: string) => (await service.admin("get", path, { token: admin.token })).body;
  async function mailTo(address: string) {
    const read = () =>
      query<{ subject: string; text_body: string; html_body: string }>(
        "SELECT subject, text_body, html_body FROM mail_outbox WHERE recipient = $1 ORDER BY id",
        [address],
      );
    await until("the answer is mailed", async () => (await read()).length > 0);
    return (await read())[0]!;
  }

  it("are answered by mail and notification, and closed", async () => {
    const { id, email } = await open(user.token);
    const { inbox } = await connectSocket(service.url, user.token);

    const answered = await respond(id);
    const closed = await respond(id, { message: "Solved.", close: true });
    const late = await respond(id);

    expect([answered.body.data.status, closed.body.data.status]).to.deep.equal(["answered", "closed"]);
    expect(late.body.error.code).to.equal("CONFLICT");
    await inbox.next(
      "notification:new",
      ({ notification }: Payload) => notification.type === "ticket_answered" && notification.data.ticket_id === id,
    );
    const listed = await service.call("get", "/notifications?unread=true", { token: user.token });
    expect(listed.body.data.items[0]).to.deep.include({
      type: "ticket_answered",
      title: "Support has answered",
      data: { user: null, count: 1, ticket_id: id },
    });
    const mail = await mailTo(email);
    expect(mail.subject).to.equal("Hubbub support: I can't log in");
    expect(mail.text_body).to.include("Please <try> again.");
    expect(mail.html_body).to.include("Please &lt;try&gt; again.");
    const conversation = (await get(`/tickets/${id}`)).data;
    expect(conversation.messages.map((one: Payload) => [one.from, one.admin_id, one.message])).to.deep.equal([
      ["user", null, "The code never arrives."],
      ["support", admin.id, "Please <try> again."],
      ["support", admin.id, "Solved."],
    ]);
  });

  it("are answered by mail alone when they belong to no account", async () => {
    const { id, email } = await open();

    const { status, body } = await respond(id);

    expect([status, body.data.user_id]).to.deep.equal([200, null]);
    expect((await mailTo(email)).text_body).to.include("try");
  });

  it("leave states in the audit log, and no message", async () => {
    const { id } = await open(user.token);

    const { body } = await respond(id);

    const entries = await query("SELECT action, before, after FROM audit_log WHERE target_id = $1", [id]);
    expect(entries).to.deep.equal([
      {
        action: "ticket.respond",
        before: { status: "open" },
        after: { status: "answered", answer_id: body.data.messages[1].id },
      },
    ]);
  });

  it("are answered once for each Idempotency-Key, and closed once", async () => {
    const { id } = await open(user.token);
    const key = newId();

    await Promise.all([1, 2].map(() => respond(id, { message: "Once." }, key)));
    const closes = await Promise.all([1, 2].map(() => respond(id, { message: "Done.", close: true })));

    expect(closes.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect((await get(`/tickets/${id}`)).data.messages).to.have.length(3);
  });

  it("are listed by status and account, and found by subject or address", async () => {
    const { id, email } = await open(user.token);
    const { id: answered } = await open(user.token);
    await respond(answered);
    const idsOf = async (filter: string) =>
      (await get(`/tickets?user_id=${user.id}&${filter}&limit=100&sort=-created_at`)).data.items.map(
        (item: Payload) => item.id,
      );

    expect(await idsOf("status=answered"))
      .to.include(answered)
      .and.not.include(id);
    expect(await idsOf(`q=${email}`)).to.deep.equal([id]);
    expect((await get("/tickets?status=lost")).error.code).to.equal("VALIDATION_ERROR");
  });

  it("reject bad answers", async () => {
    const { id } = await open();

    for (const [target, body, code] of [
      [id, { message: "" }, "VALIDATION_ERROR"],
      [id, { message: "Hi", close: "yes" }, "VALIDATION_ERROR"],
      [newId(), { message: "Hi" }, "NOT_FOUND"],
    ] as const)
      expect((await respond(target, body)).body.error.code).to.equal(code);
  });

  it("are emptied with their answers when the account is erased", async () => {
    const someone = await buildUser();
    const { id } = await open(someone.token);
    await respond(id);

    await inTransaction((tx) => eraseTickets(tx, someone.id));

    const { email, subject, messages, status } = (await get(`/tickets/${id}`)).data;
    expect([email, subject, status, ...messages.map((one: Payload) => one.message)]).to.deep.equal([
      "",
      "",
      "closed",
      "",
      "",
    ]);
  });
});

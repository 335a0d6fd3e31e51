import { expect } from "chai";
import type { Actors } from "#shared/contracts/actors.ts";
import type { HeldThing } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { loadRules } from "#shared/domain/base/filter/rules.ts";
import { releaseAll } from "#shared/domain/operations/review-queue/release-content.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildPost, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("what a rule holds", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let ada: BuiltUser;
  let bob: BuiltUser;
  let room: BuiltRoom;
  let writer: SocketClient;
  let reader: SocketClient;
  const made: string[] = [];

  const ask = async (user: BuiltUser, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token: user.token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error;
  };
  const byAdmin = async (method: string, path: string, body?: object) => {
    const answer = await service.admin(method, path, { token: admin.token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error.code;
  };
  const ruled = async (trigger: object, action: object, scope: object = { kind: "service" }) => {
    const body = { name: `Rule ${Math.random()}`, scope, trigger, action: { text: "Please wait.", ...action } };
    const rule = await byAdmin("post", "/rules", body);
    expect(rule, JSON.stringify(rule)).to.have.property("id");
    made.push(rule.id);
    await loadRules();
    return body.name;
  };
  const holding = (word: string, more: object = {}) =>
    ruled({ kind: "words", words: [word] }, { kind: "hold", ...more });
  const decide = (id: string, decision: "release" | "reject") =>
    byAdmin("post", `/review-queue/${id}/decide`, { decision });
  const mine = (): Promise<HeldThing[]> => ask(ada, "get", "/users/me/held");
  const settled = (id: string, status: "released" | "rejected") =>
    writer.inbox.next("content:decided", (one) => one.id === id && one.status === status);

  before(async () => {
    admin = await buildAdmin();
  });
  beforeEach(async () => {
    [room, ada, bob] = await Promise.all([buildRoom(), buildUser(), buildUser()]);
    [writer, reader] = await Promise.all([
      connectSocket(service.url, ada.token),
      connectSocket(service.url, bob.token),
    ]);
    for (const client of [writer, reader]) await client.ask("room:join", { room_id: room.id });
  });
  afterEach(closeClients);
  afterEach(async () => {
    for (const id of made.splice(0)) await byAdmin("delete", `/rules/${id}`);
    await loadRules();
  });

  it("is shown to its author only, and to others once it is released, at every place", async () => {
    await holding("zorglub");
    const text = "Such a Zorglub";
    const { id: conversation } = await ask(ada, "post", "/conversations", { peer_id: bob.id });
    const post = await buildPost({ author: bob });
    const said = (await writer.ask("room:message", { room_id: room.id, body: text, client_id: "c-1" })).data;
    const sent = await ask(ada, "post", `/conversations/${conversation}/messages`, { body: text, client_id: "c-2" });
    const posted = await ask(ada, "post", "/posts", { content: text });
    const commented = await ask(ada, "post", `/posts/${post.id}/comments`, { content: text });
    const all = [said, sent, posted, commented];
    for (const one of all) expect(one, JSON.stringify(one)).to.include({ held: true });
    expect((await mine()).map(({ id, status }) => [id, status])).to.have.deep.members(
      all.map(({ id }) => [id, "held"]),
    );

    // Sent again, it is the same.
    const again = await ask(ada, "post", `/conversations/${conversation}/messages`, { body: text, client_id: "c-2" });
    expect(again.id).to.equal(sent.id);
    const shown = async () => ({
      room: (await ask(bob, "get", `/rooms/${room.id}/messages`)).items.length,
      conversation: (await ask(bob, "get", `/conversations/${conversation}/messages`)).items.length,
      posts: (await ask(bob, "get", `/users/${ada.id}/posts`)).items.length,
      comments: (await ask(bob, "get", `/posts/${post.id}/comments`)).items.length,
    });
    expect(await shown()).to.deep.equal({ room: 0, conversation: 0, posts: 0, comments: 0 });

    for (const { id } of all) expect(await decide(id, "release")).to.include({ status: "closed" });
    for (const { id } of all) await settled(id, "released");
    expect(await shown()).to.deep.equal({ room: 1, conversation: 1, posts: 1, comments: 1 });
    const heard = await reader.inbox.next("room:new_message");
    expect(heard.message).to.deep.include({ body: text, client_id: "c-1" }).and.nested.include({ "user.id": ada.id });
    expect((await reader.inbox.next("dm:new")).message).to.include({ body: text, sender_id: ada.id });
    for (const { status, content_id } of await mine()) {
      expect(status).to.equal("released");
      expect(content_id).to.be.a("string");
    }
    expect(await decide(said.id, "reject")).to.equal("CONFLICT");
  });

  it("is never shown if it is rejected, and refused where it can't wait", async () => {
    await holding("zorglub");
    const { data } = await writer.ask("room:message", { room_id: room.id, body: "zorglub" });
    await decide(data.id, "reject");
    expect(await settled(data.id, "rejected")).to.include({
      content_id: null,
      place: "room_message",
      reason: "Please wait.",
    });
    expect((await mine())[0]).to.include({ status: "rejected", reason: "Please wait." });
    expect(await byAdmin("get", `/review-queue/${data.id}`)).to.include({ rule_id: made[0], rule_version: 1 });
    expect((await ask(bob, "get", `/rooms/${room.id}/messages`)).items).to.deep.equal([]);
    expect((await ask(ada, "patch", "/users/me", { full_name: "Zorglub" })).code).to.equal("CONTENT_BLOCKED");
    expect((await ask(room.host, "get", "/users/me/held")).length).to.equal(0);
  });

  it("is shown after all when the appeal against its rejection is won", async () => {
    await holding("zorglub");
    const { data } = await writer.ask("room:message", { room_id: room.id, body: "zorglub" });
    await decide(data.id, "reject");
    const [removal] = await ask(ada, "get", "/users/me/removals");
    expect(removal).to.include({ kind: "held", content_id: data.id, text: "zorglub" });
    const { appeal } = await ask(ada, "post", `/users/me/removals/${removal.id}/appeal`, { text: "A name." });
    const other = await buildAdmin();
    const body = { overturn: true, answer: "You are right." };
    expect((await service.admin("post", `/appeals/${appeal.id}/decide`, { token: other.token, body })).status).to.equal(
      200,
    );
    await settled(data.id, "released");
    expect((await ask(bob, "get", `/rooms/${room.id}/messages`)).items[0].body).to.equal("zorglub");
  });

  it("is delivered in the order of the decisions, exactly once, while others write", async () => {
    await holding("zorglub");
    const held: string[] = [];
    for (let index = 0; index < 12; index += 1)
      held.push((await writer.ask("room:message", { room_id: room.id, body: `zorglub ${index}` })).data.id);
    const order = held.map((_id, index) => (index * 5) % 12);
    const others = Array.from({ length: 20 }, (_, index) =>
      reader.ask("room:message", { room_id: room.id, body: `other ${index}` }),
    );
    for (const index of order) await decide(held[index]!, "release");
    await Promise.all(others);
    for (const id of held) await settled(id, "released");
    const heard = () => reader.inbox.of("room:new_message").map(({ message }) => message.body as string);
    await until("all are heard", () => heard().length >= held.length + others.length);
    const bodies = heard();
    expect(bodies.filter((body) => body.startsWith("zorglub"))).to.deep.equal(order.map((index) => `zorglub ${index}`));
    const { items } = await ask(bob, "get", `/rooms/${room.id}/messages`);
    expect(items.map(({ body }: { body: string }) => body).reverse()).to.deep.equal(bodies);
  });

  it("is shown once, also by processes that release it at the same time", async () => {
    await holding("zorglub");
    const { id: conversation } = await ask(ada, "post", "/conversations", { peer_id: bob.id });
    const write = () => ask(ada, "post", `/conversations/${conversation}/messages`, { body: "zorglub" });
    const sent = [await write(), await write(), await write()];
    const work = sent.map(({ id }) => decide(id, "release"));
    const actors = { voice: () => Promise.reject(new Error("no room is asked")) } as unknown as Actors;
    await Promise.all([...work, releaseAll(actors), releaseAll(actors), releaseAll(actors)]);
    for (const { id } of sent) await settled(id, "released");
    expect((await ask(bob, "get", `/conversations/${conversation}/messages`)).items).to.have.length(3);
    await until("all are heard", () => reader.inbox.of("dm:new").length >= 3);
    expect(reader.inbox.of("dm:new")).to.have.length(3);
  });

  it("is settled if its author has sent another message with its client ID, and bounded for each person", async () => {
    await holding("zorglub");
    const { id: conversation } = await ask(ada, "post", "/conversations", { peer_id: bob.id });
    const write = (body: string, client_id?: string) =>
      ask(ada, "post", `/conversations/${conversation}/messages`, { body, ...(client_id && { client_id }) });
    const { id } = await write("zorglub", "c-9");
    expect((await write("hello", "c-9")).held).to.equal(undefined);
    await decide(id, "release");
    expect(await settled(id, "released")).to.include({ content_id: null });
    const [row] = await query("SELECT delivered_at IS NOT NULL AS settled FROM held_content WHERE id = $1", [id]);
    expect(row).to.deep.equal({ settled: true });

    await query(
      `INSERT INTO held_content (id, place, user_id, text, input, rule_name, harm, status)
       SELECT uuidv7(), 'post', $1, 'zorglub', '{}', 'Rule', 2, 'held' FROM generate_series(1, 100)`,
      [ada.id],
    );
    expect((await write("zorglub")).code).to.equal("RATE_LIMITED");
    expect((await writer.ask("room:message", { room_id: room.id, body: "zorglub" })).error.code).to.equal(
      "RATE_LIMITED",
    );
    expect((await write("hello again")).body).to.equal("hello again");
  });

  it("goes nowhere when what it was written to is gone", async () => {
    await holding("zorglub");
    const post = await buildPost({ author: bob });
    const { id } = await ask(ada, "post", `/posts/${post.id}/comments`, { content: "zorglub" });
    await ask(bob, "delete", `/posts/${post.id}`);
    await decide(id, "release");
    expect(await settled(id, "released")).to.include({ content_id: null });

    const { data } = await writer.ask("room:message", { room_id: room.id, body: "zorglub" });
    const host = await connectSocket(service.url, room.host.token);
    await host.ask("room:join", { room_id: room.id });
    const kick = { room_id: room.id, user_id: ada.id, ban_minutes: 5, reason: "noise" };
    expect((await host.ask("room:kick", kick)).success).to.equal(true);
    await decide(data.id, "release");
    expect(await settled(data.id, "released")).to.include({ content_id: null });
    expect((await ask(bob, "get", `/rooms/${room.id}/messages`)).items).to.deep.equal([]);
  });

  it("is reviewed afterwards where a rule only alerts, and taken down then", async () => {
    const name = await ruled({ kind: "words", words: ["zorglub"] }, { kind: "alert", harm: 3 });
    const { id: conversation } = await ask(ada, "post", "/conversations", { peer_id: bob.id });
    const sent = await ask(ada, "post", `/conversations/${conversation}/messages`, { body: "zorglub" });
    const said = (await writer.ask("room:message", { room_id: room.id, body: "zorglub" })).data;
    const posted = await ask(ada, "post", "/posts", { content: "zorglub" });
    expect(sent.held ?? said.held ?? posted.held).to.equal(undefined);
    expect(await mine()).to.deep.equal([]);
    const { items } = await byAdmin("get", `/review-queue?status=open&user_id=${ada.id}&sort=-urgency`);
    expect(items).to.have.length(3);
    for (const one of items)
      expect(one).to.include({ kind: "content", cause: name, harm: 3, reach: 1, status: "open" });
    const details = await byAdmin("get", `/review-queue/${items[0].id}`);
    expect(details).to.include({ text: "zorglub" }).and.nested.include({ "user.id": ada.id, "history.rejected": 0 });
    for (const one of items) expect((await decide(one.id, "reject")).effects).to.have.length(1);
    expect((await ask(bob, "get", `/users/${ada.id}/posts`)).items).to.deep.equal([]);
    expect((await ask(bob, "get", `/rooms/${room.id}/messages`)).items).to.deep.equal([]);
  });

  it("stands in one queue with reports, each with the time by which it is due", async () => {
    await holding("zorglub", { harm: 1 });
    const { data } = await writer.ask("room:message", { room_id: room.id, body: "zorglub" });
    await ask(bob, "post", "/reports", { target_type: "user", target_id: ada.id, reason: "Spam" });
    const inQueue = async (more = "") =>
      (await byAdmin("get", `/review-queue?user_id=${ada.id}&status=open${more}`)).items as {
        id: string;
        kind: string;
        due_at: string;
        created_at: string;
      }[];
    const items = await inQueue("&sort=-urgency");
    expect(items.map(({ kind }) => kind)).to.deep.equal(["report", "content"]);
    for (const { due_at, created_at } of items)
      expect(Date.parse(due_at) - Date.parse(created_at)).to.equal(86_400_000);
    expect(await inQueue("&late=true")).to.deep.equal([]);
    await query("UPDATE held_content SET due_at = now() WHERE id = $1", [data.id]);
    expect((await inQueue("&late=true")).map(({ id }) => id)).to.deep.equal([data.id]);
    const figures = await byAdmin("get", "/review-figures");
    expect(figures.late).to.be.at.least(1);
    expect(await decide(items[0]!.id, "release")).to.equal("NOT_FOUND");
  });

  it("comes in the order in which it was found, if it is equally urgent, also within a hundredth of a second", async () => {
    await holding("zorglub");
    const found: string[] = [];
    for (let place = 0; place < 4; place += 1)
      found.push((await writer.ask("room:message", { room_id: room.id, body: "zorglub" })).data.id);
    for (const [place, id] of found.entries())
      await query("UPDATE held_content SET created_at = $2 WHERE id = $1", [id, `2026-01-31T12:00:00.00${place * 2}Z`]);
    const { items } = await byAdmin("get", `/review-queue?user_id=${ada.id}&status=open&sort=-urgency`);
    expect(items.map(({ id }: { id: string }) => id)).to.deep.equal(found);
  });

  it("warns its author first, and can cost them the right to write", async () => {
    await ruled({ kind: "words", words: ["zorglub"] }, { kind: "timeout", minutes: 5 });
    await ruled({ kind: "words", words: ["fnord"] }, { kind: "sanction", kinds: ["gift"], minutes: 60 });
    const say = async (body: string) => (await writer.ask("room:message", { room_id: room.id, body })).error?.code;
    expect(await say("fnord")).to.equal("CONTENT_BLOCKED");
    await until("Ada is warned", async () => (await ask(ada, "get", "/users/me/sanctions")).length === 1);
    expect(await say("hello")).to.equal(undefined);
    expect(await say("zorglub")).to.equal("CONTENT_BLOCKED");
    await until("Ada can't write", async () => (await say("hello")) === "SANCTIONED");
    await ask(ada, "patch", "/users/me", { full_name: "Fnord" });
    await until("all are there", async () => (await ask(ada, "get", "/users/me/sanctions")).length === 3);
    const sanctions = await ask(ada, "get", "/users/me/sanctions");
    expect(sanctions.map(({ kinds }: { kinds: string[] }) => kinds)).to.have.deep.members([
      ["chat", "message", "post"],
      [],
      ["gift"],
    ]);
    expect(sanctions[0]).to.include({ cause: "rule", acknowledged_at: null });
    const { items } = await byAdmin("get", `/sanctions?user_id=${ada.id}&sort=created_at`);
    expect(items[0]).to.include({ rule_id: made.at(-1), rule_version: 1, report_id: null });
  });

  it("is counted by the trigger of the rule, and what was done", async () => {
    metrics.ruleActions.reset();
    await ruled({ kind: "words", words: ["zorglub"] }, { kind: "mask" });
    await holding("fnord");
    await ruled({ kind: "patterns", patterns: ["plugh"] }, { kind: "block" });
    await ruled({ kind: "patterns", patterns: ["xyzzy"] }, { kind: "alert", harm: 1 });
    for (const content of ["hello", "zorglub zorglub", "fnord", "plugh", "xyzzy"])
      await ask(ada, "post", "/posts", { content });
    // Nothing is masked in a name: it is refused.
    await ask(ada, "patch", "/users/me", { full_name: "Zorglub" });
    const { values } = await metrics.ruleActions.get();
    expect(values.map(({ labels, value }) => `${labels.trigger} ${labels.action} ${value}`)).to.have.members([
      "words mask 1",
      "words hold 1",
      "words block 1",
      "patterns block 1",
      "patterns alert 1",
    ]);
  });

  it("counts a direct message once that is sent again with its client_id", async () => {
    const { id } = await ask(ada, "post", "/conversations", { peer_id: bob.id });
    const send = (client_id: string) =>
      ask(ada, "post", `/conversations/${id}/messages`, { body: "Come at nine", client_id });
    await ruled({ kind: "repeats", times: 2, seconds: 60 }, { kind: "block" });
    const first = await send("c-1");
    expect(first).to.include({ body: "Come at nine" });
    expect([await send("c-1"), await send("c-1")]).to.deep.equal([first, first]);
    expect(await send("c-2")).to.include({ code: "CONTENT_BLOCKED" });
  });

  it("is found by links, mentions, capitals, repetitions, floods, or how new an account is", async () => {
    const says = async (body: string, more: object = {}) =>
      (await writer.ask("room:message", { room_id: room.id, body, ...more })).error?.code ?? "ok";
    const only = async (trigger: object) => {
      for (const id of made.splice(0)) await byAdmin("delete", `/rules/${id}`);
      await ruled(trigger, { kind: "block" }, { kind: "room", room_id: room.id });
    };
    await only({ kind: "links", allow: ["example.com"] });
    expect([await says("see www.example.com/x"), await says("see evil.example.org"), await says("a.b")]).to.deep.equal([
      "ok",
      "CONTENT_BLOCKED",
      "ok",
    ]);
    await only({ kind: "mentions", more_than: 1 });
    expect(await says("hi", { mentions: [bob.id] })).to.equal("ok");
    expect(await says("hi", { mentions: [bob.id, room.host.id] })).to.equal("CONTENT_BLOCKED");
    await only({ kind: "capitals", percent: 80, letters: 10 });
    expect([await says("LISTEN"), await says("LISTEN TO ME NOW")]).to.deep.equal(["ok", "CONTENT_BLOCKED"]);
    await only({ kind: "repeats", times: 3, seconds: 60 });
    const repeated = [await says("Buy now"), await says("buy NOW "), await says("BUY now"), await says("Hello")];
    expect(repeated).to.deep.equal(["ok", "ok", "CONTENT_BLOCKED", "ok"]);
    await only({ kind: "floods", texts: 2, seconds: 60 });
    expect([await says("1"), await says("2"), await says("3")]).to.deep.equal(["ok", "ok", "CONTENT_BLOCKED"]);
    await only({ kind: "new_accounts", hours: 1 });
    expect(await says("Hello")).to.equal("CONTENT_BLOCKED");
    await only({ kind: "words", words: ["hell*"], allow: [] });
    await ruled({ kind: "patterns", patterns: ["hello kitty"] }, { kind: "allow" });
    expect([await says("hello"), await says("Hello Kitty")]).to.deep.equal(["CONTENT_BLOCKED", "ok"]);
  });
});

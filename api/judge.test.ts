import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { httpJudge } from "#shared/domain/base/filter/judge/http-judge.ts";
import { configureJudge } from "#shared/domain/base/filter/judge/judge.config.ts";
import { loadRules } from "#shared/domain/base/filter/rules.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { tendHeld } from "#shared/domain/operations/review-queue/release-content.ts";
import { signedHeaders } from "#shared/kernel/standard-webhooks.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

const secret = `whsec_${Buffer.from("a secret of the judge in tests").toString("base64")}`;

/** What a judge may do when it is asked. */
const manners: Record<string, (res: ServerResponse, text: string) => void> = {
  right: (res, text) => res.end(JSON.stringify({ labels: { spam: text.includes("bad") ? 0.95 : 0.01 } })),
  late: (res, text) => void setTimeout(() => manners.right!(res, text), 60),
  absurd: (res) => res.end('{"labels":{"spam":"very"}}'),
  wrong: (res) => res.writeHead(500).end("{}"),
  huge: (res) => res.end(`{"labels":{"spam":0},"x":"${"x".repeat(1_000_000)}"}`),
  dead: (res) => void res.destroy(),
  never: () => undefined,
  nothing: (res) => res.end(""),
};

describe("a judge", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let room: BuiltRoom;
  let ada: BuiltUser;
  let writer: SocketClient;
  let reader: SocketClient;
  let manner = "right";
  let asked = 0;
  let ruleId = "";
  const signatures: boolean[] = [];
  const server = createServer(async (req, res) => {
    let body = "";
    for await (const part of req) body += part;
    const [id, timestamp] = [req.headers["webhook-id"] as string, Number(req.headers["webhook-timestamp"])];
    const own = signedHeaders(secret, id, timestamp, body)["webhook-signature"];
    signatures.push(own === req.headers["webhook-signature"]);
    asked += 1;
    manners[manner]!(res, JSON.parse(body).text);
  });
  const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/judge`;
  /** Only what never answers is given up soon: on a busy machine, others are slow, too. */
  const judgeAnew = () =>
    configureJudge(httpJudge({ url: urlOf(), secret, withinMs: manner === "never" ? 150 : 10_000 }));
  const say = async (body: string) => (await writer.ask("room:message", { room_id: room.id, body })).data;
  const decided = (id: string) => writer.inbox.next("content:decided", (one) => one.id === id);
  const byAdmin = async (method: string, path: string, body?: object) =>
    (await service.admin(method, path, { token: admin.token, ...(body && { body }) })).body;

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    admin = await buildAdmin();
    const rule = {
      name: "Spam",
      scope: { kind: "service" },
      trigger: { kind: "labels", labels: ["spam"], percent: 80 },
      action: { kind: "block", text: "No advertisements, please." },
    };
    const masking = { ...rule, action: { kind: "mask", text: "x" } };
    expect((await byAdmin("post", "/rules", masking)).error.code).to.equal("VALIDATION_ERROR");
    ruleId = (await byAdmin("post", "/rules", rule)).data.id;
    await loadRules();
  });
  after(async () => {
    await byAdmin("delete", `/rules/${ruleId}`);
    await loadRules();
    configureJudge(undefined);
    server.closeAllConnections();
    server.close();
  });
  beforeEach(async () => {
    [room, ada] = await Promise.all([buildRoom(), buildUser()]);
    [writer, reader] = await Promise.all([
      connectSocket(service.url, ada.token),
      connectSocket(service.url, room.host.token),
    ]);
    for (const client of [writer, reader]) await client.ask("room:join", { room_id: room.id });
    manner = "right";
    judgeAnew();
  });
  afterEach(closeClients);
  afterEach(() => rememberSettings({ judge_failure: "hold" }));

  it("is asked before others see a text, and nothing waits for it in the room", async () => {
    const good = await say("good morning");
    const bad = await say("bad morning");
    expect([good.held, bad.held]).to.deep.equal([true, true]);
    expect(await decided(good.id)).to.include({ status: "released" });
    expect(await decided(bad.id)).to.include({ status: "rejected", content_id: null });
    expect((await reader.inbox.next("room:new_message")).message.body).to.equal("good morning");
    expect(signatures.every(Boolean)).to.equal(true);
    expect(reader.inbox.of("room:new_message")).to.have.length(1);
  });

  it("can't be evaded by an edit, which people review", async () => {
    const { id } = await say("good evening");
    const { content_id: message_id } = await decided(id);
    const edited = await writer.ask("message:edit", { room_id: room.id, message_id, body: "bad evening" });
    expect(edited.data.body).to.equal("bad evening");
    const held = () =>
      query("SELECT place, text, status FROM held_content WHERE place = 'edit' AND user_id = $1", [ada.id]);
    await until("its review waits", async () => (await held()).length > 0);
    expect(await held()).to.deep.equal([{ place: "edit", text: "bad evening", status: "shown" }]);
  });

  it("whatever it does, texts are shown once, in the order of release, or wait for a review", async () => {
    for (const [name, outcome] of [
      ["right", "released"],
      ["late", "released"],
      ["absurd", "held"],
      ["wrong", "held"],
      ["huge", "held"],
      ["dead", "held"],
      ["never", "held"],
      ["nothing", "held"],
    ] as const) {
      manner = name;
      judgeAnew();
      const sent = await Promise.all(["one", "two", "three"].map((word) => say(`${name} ${word}`)));
      for (const { id } of sent)
        if (outcome === "released") expect(await decided(id), name).to.include({ status: "released" });
        else
          await until(`${name}: it waits for a review`, async () => {
            const { data } = await byAdmin("get", `/review-queue?user_id=${ada.id}&status=open`);
            return data.items.some((item: { id: string }) => item.id === id);
          });
    }
    const heard = reader.inbox.of("room:new_message").map(({ message }) => message);
    expect(heard.map(({ body }) => body)).to.have.members(
      ["right", "late"].flatMap((name) => ["one", "two", "three"].map((word) => `${name} ${word}`)),
    );
    const seqs = reader.inbox.of("room:new_message").map(({ seq }) => seq as number);
    expect(seqs).to.deep.equal([...seqs].sort((one, other) => one - other));
    const { body } = await service.call("get", `/rooms/${room.id}/messages`, { token: ada.token });
    expect(body.data.items.map(({ id }: { id: string }) => id).reverse()).to.deep.equal(heard.map(({ id }) => id));
  });

  it("is asked again about a text whose job has ended without an outcome", async () => {
    await query(
      `INSERT INTO held_content (id, place, user_id, target_id, text, input, circumstances, rule_name, harm, status, created_at)
       SELECT uuidv7(), 'room_message', $1, $2, body, jsonb_build_object('body', body), '{}', 'Spam', 2, 'judging', now() - age
       FROM (VALUES ('lost', interval '6 minutes'), ('new', interval '1 minute')) AS t (body, age)`,
      [ada.id, room.id],
    );
    await tendHeld(service.actors);
    const { message } = await reader.inbox.next("room:new_message");
    expect(message).to.include({ body: "lost" });
    const left = await query("SELECT text FROM held_content WHERE user_id = $1 AND status = 'judging'", [ada.id]);
    expect(left).to.deep.equal([{ text: "new" }]);
  });

  it("isn't asked for a while after it has failed several times, and the setting says what happens then", async () => {
    rememberSettings({ judge_failure: "allow" });
    manner = "wrong";
    for (let index = 0; index < 5; index += 1) await decided((await say(`text ${index}`)).id);
    const before = asked;
    manner = "right";
    const { id } = await say("bad, but unseen");
    expect(await decided(id)).to.include({ status: "released" });
    expect(asked).to.equal(before);
  });
});

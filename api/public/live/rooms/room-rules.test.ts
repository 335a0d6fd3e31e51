import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

describe("rules of a room by its host", () => {
  const service = useService();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let member: SocketClient;
  let host: SocketClient;
  before(async () => {
    [room, ada] = await Promise.all([buildRoom(), buildUser()]);
    [host, member] = await Promise.all([
      connectSocket(service.url, room.host.token),
      connectSocket(service.url, ada.token),
    ]);
    for (const client of [host, member]) await client.ask("room:join", { room_id: room.id });
  });
  after(closeClients);

  const rules = { words: ["zorglub", "fnord*"], allow: ["fnordic"], action: "block", minutes: 5, text: "No spoilers." };
  const put = async (body: object, token = room.host.token) =>
    (await service.call("put", `/rooms/${room.id}/rules`, { token, body })).body;
  const say = (client: SocketClient, body: string) => client.ask("room:message", { room_id: room.id, body });

  const counted = async () => {
    const { values } = await metrics.ruleActions.get();
    const own = values.filter(({ labels }) => labels.trigger === "room");
    return Object.fromEntries(own.map(({ labels, value }) => [labels.action, value]));
  };

  it("refuse, mask, or mute at once, for its members only", async () => {
    expect((await put(rules)).data).to.deep.equal(rules);
    expect((await say(member, "A Z0RGLUB!")).error).to.include({ code: "CONTENT_BLOCKED", message: "No spoilers." });
    expect((await say(host, "zorglub")).success).to.equal(true);
    const said = (await say(member, "fnordic")).data;
    expect(said.body).to.equal("fnordic");
    const edit = { room_id: room.id, message_id: said.id, body: "fnords" };
    expect((await member.ask("message:edit", edit)).error?.code).to.equal("CONTENT_BLOCKED");

    await put({ ...rules, action: "mask" });
    expect((await say(member, "such fnords")).data.body).to.equal("such *****s");

    await put({ ...rules, action: "mute", text: "" });
    expect((await say(member, "zorglub")).error?.code).to.equal("CONTENT_BLOCKED");
    expect((await member.inbox.next("chat:muted")).muted_until).to.be.a("string");
    expect((await say(member, "hello")).error?.code).to.equal("FORBIDDEN");
    await host.ask("room:mute_chat", { room_id: room.id, user_id: ada.id, minutes: 0 });
    expect((await say(member, "hello")).success).to.equal(true);
    // Refused twice: a message, and an edit.
    expect(await counted()).to.deep.equal({ block: 2, mask: 1, mute: 1 });
  });

  it("are bounded, and end with the room", async () => {
    const many = Array.from({ length: 101 }, (_, index) => `word${index}`);
    expect((await put({ ...rules, words: many })).error.code).to.equal("VALIDATION_ERROR");
    expect((await put({ ...rules, words: ["**"] })).error.code).to.equal("VALIDATION_ERROR");
    expect((await put(rules, ada.token)).error.code).to.equal("FORBIDDEN");
    const { body } = await service.call("get", `/rooms/${room.id}/rules`, { token: room.host.token });
    expect(body.data).to.include({ action: "mute" });
    const { token } = await buildAdmin();
    const seen = (await service.admin("get", `/rooms/${room.id}`, { token })).body.data.rules;
    expect(seen).to.deep.include({ ...body.data, changed_by: room.host.id });
    expect(seen.changed_at).to.be.a("string");
    await service.call("delete", `/rooms/${room.id}`, { token: room.host.token });
    expect(await query("SELECT 1 FROM room_rules WHERE room_id = $1", [room.id])).to.deep.equal([]);
  });
});

import { expect } from "chai";
import { sanctionKindOf, sanctionKinds } from "#shared/contracts/sanction-rights.ts";
import { query } from "#shared/db/query.ts";
import { assertNotSanctioned } from "#shared/domain/identity/sanctions/active-sanctions.ts";
import { pruneCovered } from "#shared/domain/identity/sanctions/covered.ts";
import { clock as realClock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { callMatchmaker, closeClients, connectSocket, joinNative } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildPost, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { messagesTo } from "#shared/testing/mailbox.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";

describe("sanctions", () => {
  const service = useService();
  const clock = useClock();
  let admin: BuiltAdmin;
  let other: BuiltAdmin;
  let ada: BuiltUser;
  before(async () => {
    [admin, other] = await Promise.all([buildAdmin(), buildAdmin()]);
  });
  beforeEach(async () => {
    ada = await buildUser();
  });
  afterEach(closeClients);

  const ask = async (user: BuiltUser, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token: user.token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error;
  };
  const impose = async (kinds: readonly string[], more: object = {}) => {
    const body = { user_id: ada.id, kinds, reason: "Insults in a room.", ...more };
    const answer = await service.admin("post", "/sanctions", { token: admin.token, body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.data as { id: string };
  };
  const byAdmin = async (by: BuiltAdmin, method: string, path: string, body?: object) => {
    const answer = await service.admin(method, path, { token: by.token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error.code;
  };

  /** A call of each door by a user, by operation or event. */
  async function doorsOf(ada: BuiltUser): Promise<Record<string, () => Promise<string>>> {
    const [room, bob, post] = await Promise.all([buildRoom(), buildUser(), buildPost()]);
    const client = await connectSocket(service.url, ada.token);
    const { id: conversation } = await ask(ada, "post", "/conversations", { peer_id: bob.id });
    const { id: message } = await ask(ada, "post", `/conversations/${conversation}/messages`, { body: "Hi" });
    await client.ask("room:join", { room_id: room.id });
    const said = (await client.ask("room:message", { room_id: room.id, body: "Hi" })).data.id;
    const { id: group } = await ask(ada, "post", "/conversations", { kind: "group", name: "Choir", user_ids: [] });
    const rest = (method: string, path: string, body: object) => async () =>
      (await ask(ada, method, path, body)).code ?? "ok";
    const event = (name: Parameters<typeof client.ask>[0], body: object) => async () =>
      (await client.ask(name, body)).error?.code ?? "ok";
    const inRoom = { room_id: room.id };
    const gift = { gift_id: room.id, recipient_id: room.host.id, quantity: 1 };
    const emoji = encodeURIComponent("🔥");
    return {
      createPost: rest("post", "/posts", { content: "Hello" }),
      addComment: rest("post", `/posts/${post.id}/comments`, { content: "Hello" }),
      "room:message": event("room:message", { ...inRoom, body: "Hello" }),
      sendRoomMessage: rest("post", `/rooms/${room.id}/messages`, { body: "Hello" }),
      "message:edit": event("message:edit", { ...inRoom, message_id: said, body: "Hello" }),
      editRoomMessage: rest("patch", `/rooms/${room.id}/messages/${said}`, { body: "Hello" }),
      "message:react": event("message:react", { ...inRoom, message_id: said, emoji: "🔥" }),
      addReaction: rest("put", `/rooms/${room.id}/messages/${said}/reactions/${emoji}`, {}),
      "room:heart": event("room:heart", inRoom),
      "seat:request": event("seat:request", inRoom),
      requestSeat: rest("post", `/rooms/${room.id}/seat-request`, {}),
      "seat:accept_invite": event("seat:accept_invite", inRoom),
      createVoiceToken: rest("post", `/rooms/${room.id}/voice-token`, {}),
      sendGift: rest("post", `/rooms/${room.id}/gifts`, gift),
      openConversation: rest("post", "/conversations", { peer_id: bob.id }),
      sendDirectMessage: rest("post", `/conversations/${conversation}/messages`, { body: "Hello" }),
      editDirectMessage: rest("patch", `/conversations/${conversation}/messages/${message}`, { body: "Hello" }),
      addDirectReaction: rest("put", `/conversations/${conversation}/messages/${message}/reactions/${emoji}`, {}),
      "typing:dm": event("typing:dm", { conversation_id: conversation, typing: true }),
      changeGroup: rest("patch", `/conversations/${group}`, { name: "Band" }),
      addGroupMembers: rest("post", `/conversations/${group}/members`, { user_ids: [bob.id] }),
      createGroupInvite: rest("post", `/conversations/${group}/invites`, {}),
      joinGroup: rest("post", "/group-invites/nothing/join", {}),
      createRoom: rest("post", "/rooms", { name: "Owls", category: "music", language: "en" }),
    };
  }

  const soon = () => new Date(realClock.now() + 3_600_000).toISOString();
  const onDevice = async (user: BuiltUser, device_uid: string) => {
    const body = { platform: "android", device_uid, push_token: newId() };
    expect((await ask(user, "post", "/users/me/device", body)).code).to.equal(undefined);
  };
  /** Another user, who comes from where Ada does. */
  const targets: Record<string, { who: () => Promise<BuiltUser>; more: () => object }> = {
    user: { who: async () => ada, more: () => ({}) },
    device: {
      who: async () => {
        const [eve, device] = [await buildUser(), newId()];
        await onDevice(ada, device);
        await onDevice(eve, device);
        return eve;
      },
      more: () => ({ covers: ["device"] }),
    },
    network: { who: () => buildUser(), more: () => ({ covers: ["network"], until: soon() }) },
  };

  for (const [target, { who, more }] of Object.entries(targets))
    it(`close the doors of their kind, and no others, to the same ${target}`, async () => {
      const eve = await who();
      const doors = await doorsOf(eve);
      expect(Object.keys(doors)).to.have.members([...sanctionKindOf.keys()]);
      for (const kind of sanctionKinds.filter((one) => one !== "login" && one !== "mic")) {
        const { id } = await impose([kind], more());
        for (const [door, call] of Object.entries(doors)) {
          const outcome = await call();
          expect(outcome === "SANCTIONED", `${kind} at ${door}: ${outcome}`).to.equal(
            sanctionKindOf.get(door) === kind,
          );
        }
        expect(await byAdmin(admin, "post", `/sanctions/${id}/lift`)).to.include({ status: "lifted" });
      }
      // These two also remove the user from their room, so they are last.
      for (const kind of ["mic", "login"]) {
        const { id } = await impose([kind], more());
        for (const [door, call] of Object.entries(doors)) {
          // The connection was closed.
          if ((kind === "login" || target !== "user") && door.includes(":")) continue;
          const closed = kind === "login" || sanctionKindOf.get(door) === kind;
          expect((await call()) === "SANCTIONED", `${kind} at ${door}`).to.equal(closed);
        }
        await byAdmin(admin, "post", `/sanctions/${id}/lift`);
      }
      expect(await doors.createPost!()).to.equal("ok");
    });

  it("of `chat` keep a host from telling people anything, and from nothing else", async () => {
    const [room, bob] = await Promise.all([buildRoom({ host: ada, name: "Owls" }), buildUser()]);
    const client = await connectSocket(service.url, bob.token);
    await client.ask("room:join", { room_id: room.id });
    const path = `/rooms/${room.id}`;
    expect(await ask(ada, "patch", path, { announcement: "Soon" })).to.include({ announcement: "Soon" });
    const rules = { words: ["owl"], allow: [], action: "block", minutes: 5 };
    const told = {
      name: () => ask(ada, "patch", path, { name: "Hear me" }),
      description: () => ask(ada, "patch", path, { description: "Hear me" }),
      announcement: () => ask(ada, "patch", path, { announcement: "Hear me" }),
      welcome: () => ask(ada, "patch", path, { welcome: "Hear me" }),
      rules: () => ask(ada, "put", `${path}/rules`, { ...rules, text: "Hear me" }),
      "a new room": () =>
        ask(ada, "post", "/rooms", { name: "Owls", category: "music", language: "en", description: "Hear me" }),
      "a reason": () => ask(ada, "post", `${path}/kick`, { user_id: bob.id, reason: "Hear me" }),
    };
    const { id } = await impose(["chat"]);
    for (const [name, tell] of Object.entries(told)) expect((await tell()).code, name).to.equal("SANCTIONED");
    const changed = await ask(ada, "patch", path, { name: "Owls", announcement: "", slow_mode_seconds: 10 });
    expect(changed).to.include({ name: "Owls", announcement: "", slow_mode_seconds: 10 });
    expect(await ask(ada, "put", `${path}/rules`, { ...rules, text: "" })).to.deep.include(rules);
    await byAdmin(admin, "post", `/sanctions/${id}/lift`);
    for (const [name, tell] of Object.entries(told)) expect((await tell()).code, name).to.equal(undefined);
  });

  it("keep other accounts out of the device and the network, but no administrator, and not the user's appeal", async () => {
    const room = await buildRoom();
    const [eve, device] = [await buildUser(), newId()];
    await onDevice(ada, device);
    const logIn = async (who: BuiltUser, id: string) => {
      const body = { identifier: who.username, password: who.password, device: { id } };
      const { status, body: answer } = await service.call("post", "/auth/login", { body });
      return answer.error?.code ?? status;
    };
    const enter = async (who: BuiltUser) => {
      const socket = await connectSocket(service.url, who.token).then(
        () => "ok",
        ({ data }) => data.code,
      );
      const place = await callMatchmaker(service.url, "join/voice_room", { room_id: room.id }, who.token);
      return [socket, place.body.error?.code ?? "ok", (await ask(who, "get", "/rooms")).code ?? "ok"];
    };
    for (const covers of ["device", "network"]) {
      const { id } = await impose(["login"], { covers: [covers], until: soon() });
      expect(await logIn(eve, device), covers).to.equal("SANCTIONED");
      expect(await logIn(ada, device), covers).to.equal(200);
      expect(await enter(eve), covers).to.deep.equal(Array(3).fill(covers === "network" ? "SANCTIONED" : "ok"));
      expect(await logIn(eve, newId()), covers).to.equal(covers === "network" ? "SANCTIONED" : 200);
      const form = {
        username: `u${newId().slice(-12)}`,
        email: `${newId()}@example.com`,
        password: "correct horse battery",
      };
      const body = {
        full_name: "Mallory",
        ...form,
        confirm_password: form.password,
        terms_accepted: true,
        device: { id: device },
      };
      expect((await service.call("post", "/auth/register", { body })).body.error?.code, covers).to.equal("SANCTIONED");
      const stored = await query<{ hash: Buffer }>("SELECT hash FROM sanction_targets WHERE sanction_id = $1", [id]);
      expect(stored.map(({ hash }) => hash.length)).to.deep.equal([32]);
      expect(await byAdmin(other, "post", `/sanctions/${id}/lift`)).to.include({ status: "lifted" });
    }
    expect([await logIn(eve, device), await enter(eve)]).to.deep.equal([200, ["ok", "ok", "ok"]]);
    expect(await pruneCovered()).to.be.at.least(2);
  });

  it("reach sessions that come to a device later, and never cover networks for long", async () => {
    const [eve, device] = [await buildUser(), newId()];
    await onDevice(ada, device);
    await impose(["post"], { covers: ["device"] });
    expect((await ask(eve, "post", "/posts", { content: "Hello" })).code).to.equal(undefined);
    await onDevice(eve, device);
    await until(
      "Eve can't post",
      async () => (await ask(eve, "post", "/posts", { content: "Hello" })).code === "SANCTIONED",
    );
    const body = { user_id: ada.id, kinds: ["post"], reason: "Spam.", covers: ["network"] };
    expect(await byAdmin(admin, "post", "/sanctions", body)).to.equal("VALIDATION_ERROR");
    const late = new Date(realClock.now() + 8 * 86_400_000).toISOString();
    expect(await byAdmin(admin, "post", "/sanctions", { ...body, until: late })).to.equal("VALIDATION_ERROR");
  });

  it("know networks apart: one address of IPv4, and a /64 of IPv6", async () => {
    await query("UPDATE sessions SET ip = '2001:db8:1:2::3' WHERE user_id = $1", [ada.id]);
    await impose(["post"], { covers: ["network"], until: soon() });
    const { id: userId } = await buildUser();
    const post = (address: string) => () => assertNotSanctioned({ userId, address }, "createPost");
    expect(post("2001:db8:1:2:ffff::9")).to.throw(DomainError);
    for (const address of ["2001:db8:1:3::3", "127.0.0.1", ""]) expect(post(address)).not.to.throw();
  });

  it("say why, and keep those whom they keep out from everything but their rights", async () => {
    const { id } = await impose(["login"]);
    const refused = await ask(ada, "get", "/rooms");
    expect(refused).to.include({ code: "SANCTIONED", message: "Insults in a room." });
    const [sanction] = await ask(ada, "get", "/users/me/sanctions");
    expect(sanction).to.deep.include({ id, kinds: ["login"], until: null, status: "active", appeal: null });
    expect((await ask(ada, "get", "/users/me")).id).to.equal(ada.id);
    const again = await service.call("post", "/auth/login", {
      body: { identifier: ada.username, password: ada.password },
    });
    expect(again.status).to.equal(200);
    expect((await ask(ada, "post", "/users/me/export")).code).to.equal(undefined);
  });

  it("close the connections of those whom they keep out, and refuse others", async () => {
    const room = await buildRoom();
    const [client, native] = await Promise.all([
      connectSocket(service.url, ada.token),
      joinNative(service.url, ada.token, { room_id: room.id }),
    ]);
    const { id } = await impose(["login"]);
    await Promise.all([client.inbox.next("disconnect"), native.inbox.next("leave")]);
    const refused = await connectSocket(service.url, ada.token).catch(({ data }) => data);
    expect(refused).to.include({ code: "SANCTIONED", message: "Insults in a room." });
    const place = await callMatchmaker(service.url, "join/voice_room", { room_id: room.id }, ada.token);
    expect(place.body.error).to.include({ code: "SANCTIONED" });
    await byAdmin(admin, "post", `/sanctions/${id}/lift`);
    const back = await connectSocket(service.url, ada.token);
    expect((await back.ask("room:join", { room_id: room.id })).success).to.equal(true);
  });

  it("hold as imposed and lifted, however quickly one follows the other", async () => {
    for (let round = 0; round < 5; round += 1) {
      const imposed = await Promise.all(["post", "chat", "gift"].map((kind) => impose([kind])));
      const lifted = imposed.map(({ id }) => byAdmin(admin, "post", `/sanctions/${id}/lift`));
      await Promise.all([...lifted, impose(["message"])]);
      expect((await ask(ada, "post", "/posts", { content: "Hello" })).code).to.equal(undefined);
      expect((await ask(ada, "post", "/conversations", { kind: "group", name: "Choir", user_ids: [] })).code).to.equal(
        "SANCTIONED",
      );
    }
  });

  it("end by themselves", async () => {
    await impose(["post"], { until: new Date(realClock.now() + 60_000).toISOString() });
    const post = async () => (await ask(ada, "post", "/posts", { content: "Hello" })).code ?? "ok";
    expect(await post()).to.equal("SANCTIONED");
    clock.forward(61_000);
    expect(await post()).to.equal("ok");
    const past = { user_id: ada.id, kinds: ["post"], reason: "Late.", until: "2020-01-01T00:00:00.000Z" };
    expect(await byAdmin(admin, "post", "/sanctions", past)).to.equal("VALIDATION_ERROR");
  });

  it("remove from their room those who may not speak any longer", async () => {
    const room = await buildRoom();
    const client = await connectSocket(service.url, ada.token);
    await client.ask("room:join", { room_id: room.id });
    await impose(["mic"]);
    await until("Ada has left", async () => {
      const { body } = await service.call("get", `/rooms/${room.id}/members`, { token: room.host.token });
      return !body.data.items.some(({ user }: { user: BuiltUser }) => user.id === ada.id);
    });
    expect((await client.ask("room:join", { room_id: room.id })).success).to.equal(true);
    expect((await client.ask("seat:request", { room_id: room.id })).error?.code).to.equal("SANCTIONED");
  });

  it("can be warnings, which take nothing, are acknowledged, and count for 90 days", async () => {
    const { id } = await impose([]);
    expect((await ask(ada, "post", "/posts", { content: "Hello" })).code).to.equal(undefined);
    const [warning] = await ask(ada, "get", "/users/me/sanctions");
    expect(warning).to.deep.include({ id, kinds: [], status: "active", cause: "review", acknowledged_at: null });
    expect(Date.parse(warning.until) - realClock.now()).to.be.closeTo(90 * 86_400_000, 60_000);
    const seen = await ask(ada, "post", `/users/me/sanctions/${id}/acknowledge`);
    expect(seen.acknowledged_at).to.be.a("string");
    expect(await ask(ada, "post", `/users/me/sanctions/${id}/acknowledge`)).to.deep.equal(seen);
    const told = async () => (await ask(ada, "get", "/notifications")).items[0];
    await until("Ada is notified", async () => (await told()) !== undefined);
    expect((await told()).data).to.deep.equal({ user: null, count: 1, sanction_id: id, is_warning: true });
    const report = { user_id: ada.id, kinds: [], reason: "Spam.", report_id: id };
    expect(await byAdmin(admin, "post", "/sanctions", report)).to.equal("VALIDATION_ERROR");
  });

  it("are appealed once, and decided by another administrator, who may lift them", async () => {
    const { id } = await impose(["post", "chat"]);
    const stranger = await buildUser();
    const path = `/users/me/sanctions/${id}/appeal`;
    expect((await ask(stranger, "post", path, { text: "Please." })).code).to.equal("NOT_FOUND");
    const appealed = await ask(ada, "post", path, { text: "I was quoting someone." });
    expect(appealed.appeal).to.include({ text: "I was quoting someone.", status: "open", answer: null });
    expect((await ask(ada, "post", path, { text: "Again." })).code).to.equal("CONFLICT");

    const open = await byAdmin(other, "get", `/appeals?status=open&user_id=${ada.id}`);
    const [appeal] = open.items;
    expect(appeal).to.include({ sanction_id: id, user_id: ada.id, status: "open" });
    const decide = (by: BuiltAdmin) =>
      byAdmin(by, "post", `/appeals/${appeal.id}/decide`, { overturn: true, answer: "You are right." });
    const { removal, review, sanction: about } = await byAdmin(other, "get", `/appeals/${appeal.id}`);
    expect([removal, review]).to.deep.equal([null, null]);
    expect(about).to.deep.include({ kinds: ["post", "chat"], reason: "Insults in a room.", created_by: admin.id });
    expect(await byAdmin(other, "get", `/appeals/${newId()}`)).to.equal("NOT_FOUND");
    expect(await decide(admin)).to.equal("FORBIDDEN");
    expect(await decide(other)).to.include({ status: "overturned", answer: "You are right." });
    expect(await decide(other)).to.equal("CONFLICT");
    expect((await ask(ada, "post", "/posts", { content: "Thanks" })).content).to.equal("Thanks");
    const [sanction] = await ask(ada, "get", "/users/me/sanctions");
    expect(sanction).to.include({ status: "lifted" });
    expect(sanction.appeal).to.include({ status: "overturned", answer: "You are right." });
    const told = async () => (await ask(ada, "get", "/notifications")).items[0];
    await until("Ada is notified", async () => (await told())?.type === "appeal_decided");
    expect((await told()).data).to.include({ appeal_id: appeal.id, status: "overturned", answer: "You are right." });
    const listed = await byAdmin(other, "get", `/sanctions?user_id=${ada.id}&active=true`);
    expect(listed.items).to.deep.equal([]);
  });

  /** The link of the appeal in the mail to Ada that came last, of so many. */
  const linkIn = async (many: number) => {
    const [mail] = await messagesTo(ada.email, many);
    expect(mail!.text).to.include("Insults in a room.");
    return new URL(/https?:\S+\/appeals\/\S+/.exec(mail!.text)![0]).pathname;
  };
  const openLink = async (path: string, text?: string) => {
    const form = text !== undefined && { method: "POST", body: new URLSearchParams({ text }) };
    const answer = await fetch(service.url + path, { ...form, headers: { "accept-language": "es" } });
    return { status: answer.status, policy: answer.headers.get("content-security-policy"), page: await answer.text() };
  };
  const decideOpen = async (overturn: boolean) => {
    const { items } = await byAdmin(other, "get", `/appeals?status=open&user_id=${ada.id}`);
    return byAdmin(other, "post", `/appeals/${items[0].id}/decide`, { overturn, answer: "We looked again." });
  };

  /** What keeps someone out, and whether they are. */
  const keptOut: Record<string, { impose: () => Promise<unknown>; login: string | number }> = {
    "a sanction of login": { impose: () => impose(["login"]), login: 200 },
    "a suspension": {
      impose: () => byAdmin(admin, "post", `/users/${ada.id}/suspend`, { reason: "Insults in a room." }),
      login: "ACCOUNT_SUSPENDED",
    },
  };
  for (const [name, { impose, login }] of Object.entries(keptOut))
    it(`are appealed by mail, and the person is mailed why it was decided so: ${name}`, async () => {
      const logIn = async () => {
        const body = { identifier: ada.username, password: ada.password };
        const { status, body: answer } = await service.call("post", "/auth/login", { body });
        return answer.error?.code ?? status;
      };
      await impose();
      expect(await logIn()).to.equal(login);
      const path = await linkIn(1);
      const shown = await openLink(path);
      expect(shown).to.include({ status: 200 });
      expect(shown.policy).to.include("default-src 'none'").and.not.include("script-src");
      expect(shown.page).to.include("Insults in a room.").and.include('lang="es"').and.not.include("<script");
      expect(await openLink(path, "")).to.include({ status: 400 });
      const sent = await openLink(path, "I was <b>quoting</b> someone.");
      expect(sent.page).to.include("Tu apelación se ha enviado");
      expect((await openLink(path)).status).to.equal(404);
      expect((await openLink(path, "Again.")).status).to.equal(404);

      expect(await decideOpen(true)).to.include({ status: "overturned" });
      const [mail] = await messagesTo(ada.email, 2);
      expect(mail!.text).to.include("We looked again.");
      expect(await logIn()).to.equal(200);
    });

  it("that keep someone out and stand are mailed with the answer; other kinds are not mailed", async () => {
    await impose(["post"]);
    await impose(["login"], { until: soon() });
    const path = await linkIn(1);
    await openLink(path, "It was me.");
    await decideOpen(false);
    const [mail] = await messagesTo(ada.email, 2);
    expect(mail!.subject).to.include("stands");
    expect(mail!.text).to.include("We looked again.");
  });

  it("have links that work for their own appeal only, and no longer than they hold", async () => {
    await byAdmin(admin, "post", `/users/${ada.id}/suspend`, { reason: "Insults in a room." });
    const first = await linkIn(1);
    const [{ id }] = (await byAdmin(other, "get", `/sanctions?user_id=${ada.id}`)).items;
    expect(await byAdmin(other, "post", `/sanctions/${id}/lift`)).to.equal("CONFLICT");
    await byAdmin(admin, "post", `/users/${ada.id}/reactivate`);
    await impose(["login"]);
    const second = await linkIn(2);
    const [, , ofFirst, signature] = first.split("/");
    const forged = `/appeals/${second.split("/")[2]}/${signature}`;
    const unknown = `/appeals/${newId()}/${signature}`;
    const answerTo = async (path: string, text?: string) => {
      const { page, ...head } = await openLink(path, text);
      return { ...head, page: page.replace(path, "") };
    };
    for (const path of [first, forged, `/appeals/${ofFirst}/x`, `/appeals/x/${signature}`, `${second}x`])
      for (const text of [undefined, "Please."])
        expect(await answerTo(path, text), path).to.deep.equal({ ...(await answerTo(unknown, text)), status: 404 });
    expect((await openLink(second)).status).to.equal(200);
  });
});

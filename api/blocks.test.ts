import { expect } from "chai";
import type Joi from "joi";
import { type BlockRuleName, blockRules } from "#shared/contracts/block-rules.ts";
import { type ClientEvent, clientEvents } from "#shared/contracts/client-events.ts";
import { query } from "#shared/db/query.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import { accessMatrix } from "#shared/testing/access/access-matrix.ts";
import type { Outcome } from "#shared/testing/access/access-row.ts";
import { callRoute, elsewhere, operationName, operationOf } from "#shared/testing/access/describe-access.ts";
import { callers } from "#shared/testing/access/social-rows.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { block, callerOf } from "#shared/testing/people.ts";
import { Scene } from "#shared/testing/scene.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { type Described, describe as describeSchema } from "./docs/json-schema.ts";
import type { Route } from "./http/route.ts";
import { apiRoutes } from "./routes.ts";

/** Of a scene: the two users who are in each other's places. */
type Caller = "member" | "owner";
type Call = () => Promise<Outcome>;

/** Places in a list. Nothing is read of the items there. */
const cursors = ["before", "as_of"];

const namesId = ({ rules, keys = {}, items = [], matches = [] }: Described): boolean =>
  (rules ?? []).some(({ name }) => name === "guid") ||
  Object.entries(keys).some(([name, field]) => !cursors.includes(name) && namesId(field)) ||
  items.some(namesId) ||
  matches.some(({ schema }) => schema !== undefined && namesId(schema));

const takesId = (...schemas: readonly (Joi.Schema | undefined)[]): boolean =>
  schemas.some((schema) => schema && namesId(describeSchema(schema)));

describe("who is told what about a block", () => {
  const service = useService();
  const routes: readonly Route[] = apiRoutes({ actors: noEngine });
  afterEach(closeClients);

  it("is declared by every route and event that takes an ID", () => {
    const silent = routes.filter(({ blocks, params, query, body }) => !blocks && takesId(params, query, body));
    const events = Object.entries(clientEvents).filter(([, spec]) => !("blocks" in spec) && takesId(spec.payload));

    expect(silent.map(operationName)).to.deep.equal([]);
    expect(events.map(([event]) => event)).to.deep.equal([]);
  });

  /** Calls between two users while one has blocked the other, then the other way round, then without a block. */
  async function holdRule(
    rule: BlockRuleName,
    pair: { call: Call; caller: { id: string }; other: { id: string } },
    usual: Outcome,
  ) {
    const { call, caller, other } = pair;
    const expected = (outcome: Outcome) => (outcome === "ok" ? usual : outcome);
    const { blocked, blocker } = blockRules[rule];
    const lift = () => query("DELETE FROM user_blocks WHERE blocker_id = ANY ($1)", [[caller.id, other.id]]);

    await block(other, caller);
    expect(await call(), "blocked").to.equal(expected(blocked));
    // What has happened can't happen again.
    if (blocked === "ok") return;
    await lift();
    await block(caller, other);
    expect(await call(), "blocker").to.equal(expected(blocker));
    if (blocker === "ok") return;
    await lift();
    expect(await call(), "without a block").to.equal(usual);
  }

  for (const [key, { outcomes, at }] of Object.entries(accessMatrix)) {
    const route = routes.find((candidate) => operationName(candidate) === operationOf(key))!;
    const { blocks } = route;
    if (!at || !blocks || blocks === "none") continue;
    const usualOf = (caller: Caller): Outcome =>
      typeof outcomes === "string" ? outcomes : outcomes[callers.indexOf(caller)]!;
    // Content is the owner's. What else the member may not do is done to them.
    const name: Caller = blocks === "content" || usualOf("member") === "ok" ? "member" : "owner";

    it(key, async () => {
      const scene = await Scene.build(service);
      const [caller, other] = [scene[name], scene[name === "member" ? "owner" : "member"]];
      const place = await at(scene, name);
      const call = async () => {
        const answer = await callRoute(service.call, route, place, caller.token);
        if (answer.body.error?.code === "NOT_FOUND") {
          const missing = await callRoute(service.call, route, elsewhere(place), caller.token);
          expect(answer.body, "the answer to what exists").to.deep.equal(missing.body);
        }
        return answer.body.error?.code ?? "ok";
      };
      await holdRule(blocks, { call, caller, other }, usualOf(name));
    });
  }

  type Events = {
    readonly [E in ClientEvent as (typeof clientEvents)[E] extends { blocks: string } ? E : never]: EventPlace;
  };
  type EventPlace = readonly [Caller, (scene: Scene) => Promise<object>];

  const inRoom =
    (more: (scene: Scene) => object | Promise<object> = () => ({})) =>
    async (scene: Scene) => {
      const room_id = await scene.room();
      return { room_id, ...(await more(scene)) };
    };
  const toMember = (more: object = {}) => inRoom(({ member }) => ({ user_id: member.id, ...more }));
  const withRequest = inRoom(async (scene) => ({ request_id: await scene.seatRequest() }));
  const seated = (more: object) =>
    inRoom(async (scene) => {
      const request_id = await scene.seatRequest();
      const asOwner = callerOf(scene.owner);
      unwrap(await service.actors.voice(await scene.room(), asOwner, "seat:approve", { request_id }));
      // The first seat is the host's.
      return { seat_no: 2, ...more };
    });
  const invited = inRoom(async (scene) => {
    const input = { user_id: scene.member.id };
    unwrap(await service.actors.voice(await scene.room(), callerOf(scene.owner), "seat:invite", input));
    return {};
  });
  const pinned = inRoom(async (scene) => ({ message_id: await scene.pin() }));
  const inLobby =
    (...steps: readonly string[]) =>
    async (scene: Scene) => {
      const lobby_id = await scene.lobby();
      for (const step of steps)
        await service.call("post", `/games/lobbies/${lobby_id}/${step}`, { token: scene.member.token, body: {} });
      return { lobby_id };
    };

  /** Who sends each event, and the payload with which it succeeds without a block. */
  const events: Events = {
    "room:join": ["member", inRoom()],
    "room:leave": ["member", inRoom()],
    "room:message": ["member", inRoom(() => ({ body: "Hi" }))],
    "room:heart": ["member", inRoom()],
    "seat:request": ["member", inRoom()],
    "seat:approve": ["owner", withRequest],
    "seat:reject": ["owner", withRequest],
    "seat:leave": ["owner", inRoom()],
    "seat:lock": ["owner", inRoom(() => ({ seat_no: 5, locked: true }))],
    "audio:state": ["owner", inRoom(() => ({ muted: true }))],
    "room:kick": ["owner", toMember()],
    "room:role": ["owner", toMember({ role: "moderator" })],
    "room:mute_chat": ["owner", toMember({ minutes: 5 })],
    "seat:invite": ["owner", toMember()],
    "seat:accept_invite": ["member", invited],
    "seat:cancel": ["member", inRoom((scene) => scene.seatRequest().then(() => ({})))],
    "seat:remove": ["owner", seated({})],
    "seat:mute": ["owner", seated({ muted: true })],
    "room:sync": ["member", inRoom(() => ({ since_seq: 0 }))],
    "message:edit": ["member", inRoom(async (scene) => ({ message_id: await scene.roomMessage(), body: "Hello" }))],
    "message:react": ["member", inRoom(async (scene) => ({ message_id: await scene.roomMessage(), emoji: "🔥" }))],
    "message:unreact": ["member", inRoom(async (scene) => ({ message_id: await scene.roomMessage(), emoji: "🔥" }))],
    "message:pin": ["owner", inRoom(async (scene) => ({ message_id: await scene.roomMessage() }))],
    "message:unpin": ["owner", pinned],
    "message:delete": ["owner", inRoom(async (scene) => ({ message_id: await scene.roomMessage() }))],
    "typing:dm": ["member", async (scene) => ({ conversation_id: await scene.conversation(), typing: true })],
    "lobby:join": ["member", inLobby()],
    "lobby:ready": ["member", inLobby("join")],
    "lobby:leave": ["member", inLobby("join")],
    "lobby:start": ["owner", inLobby("join", "ready")],
    "game:action": ["owner", async (scene) => ({ session_id: await scene.game(), action: { kind: "roll" } })],
  };

  for (const [event, [name, payloadOf]] of Object.entries(events) as [keyof Events, EventPlace][])
    it(`the event ${event}`, async () => {
      const scene = await Scene.build(service);
      const [caller, other] = [scene[name], scene[name === "member" ? "owner" : "member"]];
      const payload = await payloadOf(scene);
      const { ask } = await connectSocket(service.url, caller.token);
      const call = async () => (await ask(event, payload)).error?.code ?? "ok";
      await holdRule(clientEvents[event].blocks, { call, caller, other }, "ok");
    });
});

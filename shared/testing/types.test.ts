import { expect } from "chai";
import type { Actors } from "#shared/contracts/actors.ts";
import type { DomainEvents } from "#shared/contracts/domain-events.ts";
import type { EventPayloads, RoomPush, ServerPush } from "#shared/contracts/events.ts";
import { flag, id, integer, listOf, nullable, object, optional, text } from "#shared/contracts/fields.ts";
import { service, type UserPrincipal } from "#shared/contracts/principal.ts";
import type { UserCard } from "#shared/contracts/views.ts";
import { defineGame } from "#shared/extension/index.ts";
import type { Row } from "#shared/testing/access/access-row.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../api/http/admin-route.ts";
import type { Api } from "../../api/http/api.ts";
import { readBytes } from "../../api/http/read-body.ts";
import { AlreadyExists, type Call, type Route, route, routeOf } from "../../api/http/route.ts";
import type { ActionTable } from "../../engine/core/decision.ts";

/**
 * Type errors that the tables must cause. `tsc` checks this file: a missing expected error is an error. The tests
 * themselves only show that the rest of each entry is valid.
 */
const base = { id: "writeNote", tag: "Notes", summary: "Write a note" } as const;
const post = { ...base, auth: "user", method: "post", path: "/notes/:id" } as const;
const note = object({ words: text(1, 100), stars: optional(integer(0, 5)) });

describe("an entry of the route table", () => {
  it("takes what fits", () => {
    const routes: Route[] = [
      route({
        ...post,
        params: object({ id: id() }),
        query: object({ loud: optional(flag()) }),
        body: note,
        response: object({ id: id(), loud: flag(), words: text(1, 100), by: id() }),
        handler: async ({ caller, params, query, body }) => ({
          id: params.id,
          loud: query.loud ?? false,
          words: body.words,
          by: caller.userId,
        }),
      }),
      route({
        ...post,
        rawBody: { read: readBytes, schema: object({}) },
        response: integer(0, 9),
        handler: async ({ body }) => body.length,
      }),
    ];
    return routes;
  });

  it("refuses a handler that reads other input than its schemas let through", () => {
    // @ts-expect-error: the body has no `title`.
    route({ ...post, body: note, response: text(1, 9), handler: async ({ body }) => body.title });
    // @ts-expect-error: `words` is no number.
    route({ ...post, body: note, response: integer(0, 9), handler: async ({ body }) => body.words });
    // @ts-expect-error: `stars` may be absent.
    route({ ...post, body: note, response: integer(0, 9), handler: async ({ body }) => body.stars });
    // @ts-expect-error: the query has no `page`.
    route({ ...post, query: note, response: integer(0, 9), handler: async ({ query }) => query.page });
    // @ts-expect-error: without a schema there are no params.
    route({ ...post, response: text(1, 9), handler: async ({ params }) => params.id });
  });

  it("refuses the same when its tag and callers are given before", () => {
    const ofUser = routeOf("Notes", "user");
    const ofAnyone = routeOf("Notes", "anyone");
    const entry = { id: "addNote", method: "post", path: "/notes", summary: "Add a note", body: note } as const;

    ofUser({ ...entry, response: text(1, 9), handler: async ({ caller, body }) => caller.userId + body.words });
    // @ts-expect-error: the body has no `title`.
    ofUser({ ...entry, response: text(1, 9), handler: async ({ body }) => body.title });
    // @ts-expect-error: `words` is no number.
    ofUser({ ...entry, response: note, handler: async () => ({ words: 5 }) });
    // @ts-expect-error: there may be no caller.
    ofAnyone({ ...entry, response: text(1, 9), handler: async ({ caller }) => caller.userId });
  });

  it("refuses a handler that declares another input than its schemas", () => {
    const byId = async (call: Call<{ id: string }>) => call.params.id;
    const byNumber = async (call: Call<{ id: number }>) => call.params.id;

    // @ts-expect-error: the entry has no params.
    route({ ...post, response: text(1, 9), handler: byId });
    // @ts-expect-error: the id is a string.
    route({ ...post, params: object({ id: id() }), response: integer(1, 9), handler: byNumber });
  });

  it("refuses a handler that returns another response than its schema", () => {
    // @ts-expect-error: `words` is missing.
    route({ ...post, response: note, handler: async () => ({ stars: 5 }) });
    // @ts-expect-error: `words` is no number.
    route({ ...post, response: note, handler: async () => ({ words: 5 }) });
    // @ts-expect-error: one is no list.
    route({ ...post, response: listOf(note), handler: async () => ({ words: "Hello" }) });
  });

  it("refuses an AlreadyExists of another type, or where nothing may exist", () => {
    route({ ...post, mayExist: true, response: note, handler: async () => new AlreadyExists({ words: "Hello" }) });
    // @ts-expect-error: `words` is no number.
    route({ ...post, mayExist: true, response: note, handler: async () => new AlreadyExists({ words: 5 }) });
    // @ts-expect-error: the entry does not say `mayExist`.
    route({ ...post, response: note, handler: async () => new AlreadyExists({ words: "Hello" }) });
  });

  it("gives a handler that anyone may call a caller or null", () => {
    const get = { ...base, auth: "anyone", method: "get", path: "/notes" } as const;
    const ofUser = async (_call: Call<object, object, object, UserPrincipal>) => "";

    // @ts-expect-error: there may be no caller.
    route({ ...get, response: text(1, 9), handler: async ({ caller }) => caller.userId });
    // @ts-expect-error: there may be no caller.
    route({ ...get, response: text(1, 9), handler: ofUser });
  });
});

describe("an entry of an admin API", () => {
  const get = {
    ...base,
    method: "get",
    path: "/users/:id",
    params: object({ id: id() }),
    response: text(1, 99),
  } as const;
  const suspend = { ...get, method: "post", path: "/users/:id/suspend" } as const;
  const audit = { action: "user.suspend", target: () => ({ type: "user", id: "" }) } as const;

  it("takes what fits", () => {
    const routes: Api["routes"] = [
      adminRead({ ...get, permission: "users.read", handler: async ({ caller }) => caller.adminId }),
      adminWrite({
        ...suspend,
        permission: "users.suspend",
        audit: { action: "user.suspend", target: ({ params }) => ({ type: "user", id: params.id }) },
        handler: async ({ params }) => params.id,
      }),
    ];
    return routes;
  });

  it("is refused without a permission, or with one that there is not", () => {
    // @ts-expect-error: a permission is missing.
    adminRead({ ...get, handler: async () => "" });
    // @ts-expect-error: a permission is missing.
    adminWrite({ ...suspend, audit, handler: async () => "" });
    // @ts-expect-error: there is no such permission.
    adminRead({ ...get, permission: "user.read", handler: async () => "" });
  });

  it("is refused without an audit rule when it writes", () => {
    // @ts-expect-error: an audit rule is missing.
    adminWrite({ ...suspend, permission: "users.suspend", handler: async () => "" });
    // @ts-expect-error: a read is no write.
    adminRead({ ...suspend, permission: "users.suspend", handler: async () => "" });
    const rule = { ...suspend, permission: "users.suspend" } as const;
    // @ts-expect-error: the params have no `userId`.
    adminWrite({ ...rule, audit: { ...audit, target: ({ params }) => params.userId }, handler: async () => "" });
  });

  it("is the only one with a permission or an audit rule, and the only one in its table", () => {
    // @ts-expect-error: users have no permissions.
    route({ ...post, permission: "users.read", response: text(1, 9), handler: async () => "" });
    // @ts-expect-error: only administrators are audited.
    route({ ...post, audit, response: text(1, 9), handler: async () => "" });
    // @ts-expect-error: an entry for administrators is made by `adminRead` or `adminWrite`.
    route({ ...base, method: "get", path: "/", auth: "admin", response: text(1, 9), handler: async () => "" });

    const users = route({ ...post, response: text(1, 9), handler: async () => "" });
    // @ts-expect-error: the table of an admin API has entries with a permission only.
    const routes: Api<AdminRoute>["routes"] = [users];
    return routes;
  });
});

describe("a row of an access matrix", () => {
  type Two = Row<{ roomId: string }, readonly ["guest", "host"]>;

  it("takes an outcome for each caller, or one for all", () => {
    const rows: Two[] = [{ outcomes: ["FORBIDDEN", "ok"] }, { outcomes: "ok" }];
    return rows;
  });

  it("is refused with another number of outcomes, or another world", () => {
    // @ts-expect-error: the host's outcome is missing.
    const one: Two = { outcomes: ["ok"] };
    // @ts-expect-error: there is no such code.
    const unknown: Two = { outcomes: ["ok", "NO_SUCH_CODE"] };
    // @ts-expect-error: its world has no posts.
    const elsewhere: Two = { outcomes: "ok", at: ({ postId }) => ({ params: { id: postId } }) };
    return [one, unknown, elsewhere];
  });
});

describe("the tables of realtime", () => {
  it("refuse a wrong input and a wrong reply of an actor", () => {
    const callers = [
      // @ts-expect-error: a seat is a number.
      (actors: Actors) => actors.voice("", service, "seat:lock", { seat_no: "2", locked: true }),
      // @ts-expect-error: a lobby has no seats.
      (actors: Actors) => actors.lobby("", service, "seat:leave", {}),
      async (actors: Actors) => {
        const answer = await actors.voice("", service, "seat:leave", {});
        // @ts-expect-error: the reply is the seats.
        return answer.ok && answer.value.room_id;
      },
    ];
    return callers;
  });

  it("refuse an action that reads another input, returns another reply, or is missing", () => {
    type VoiceTable = ActionTable<"voice_room", object, object>;
    const lock: VoiceTable["seat:lock"] = {
      // @ts-expect-error: the input has no `seat`.
      decide: (_data, { input }) => ({ reply: () => ({ seats: [], seat: input.seat }) }),
    };
    // @ts-expect-error: the reply is the seats.
    const leave: VoiceTable["seat:leave"] = { decide: () => ({ reply: () => ({ room_id: "" }) }) };
    // @ts-expect-error: `seat:lock` is missing.
    const table: Pick<VoiceTable, "seat:leave" | "seat:lock"> = { "seat:leave": leave };
    return [lock, table];
  });

  it("refuse a push with another event's payload", () => {
    // @ts-expect-error: that is the payload of `dm:read`.
    const push: ServerPush = { event: "dm:new", payload: { conversation_id: "", reader_id: "", read_at: "" } };
    // @ts-expect-error: not an event of the whole room.
    const toRoom: RoomPush = { event: "chat:muted", payload: { room_id: "", muted_until: null } };
    return [push, toRoom];
  });

  it("refuse a wrong payload of an event, and of a domain event", () => {
    // @ts-expect-error: `typing` is missing.
    const typing: EventPayloads["typing:dm"] = { conversation_id: "", user_id: "" };
    // @ts-expect-error: there is no such reason.
    const left: Pick<EventPayloads["room:participant_left"], "reason"> = { reason: "bored" };
    // @ts-expect-error: whom they follow is missing.
    const followed: DomainEvents["user.followed"] = { follower_id: "" };
    return [typing, left, followed];
  });

  it("refuse a view without one of its fields", () => {
    const card: Omit<UserCard, "vip"> = {
      id: "",
      username: "",
      full_name: "",
      avatar_url: null,
      country: null,
      is_online: false,
      frame: null,
    };
    // @ts-expect-error: `vip` is missing.
    const shown: UserCard = card;
    return shown;
  });
});

describe("a game of an extension", () => {
  const game = defineGame({
    meta: { type: "four", name: "Four", description: "Four.", min_players: 2, max_players: 2, turn_seconds: 20 },
    actions: { four_drop: { column: integer(0, 6, 1) } },
    state: object({ players: listOf(id()), winner: nullable(id()), cells: listOf(nullable(integer(0, 1, 1))) }),
    board: object({ winner: nullable(id()) }),
    you: object({}),
    setup: (players) => ({ players: [...players], winner: null, cells: [null, null] }),
    turn: ({ players }) => players[0] ?? null,
    legal: () => [{ kind: "four_drop", column: 1 }],
    deadlineMs: () => null,
    rules: { four_drop: (state, userId) => ({ ...state, winner: userId }) },
    timeout: (state) => state,
    view: { board: ({ winner }) => ({ winner }), you: () => ({}) },
    end: ({ players }) => players.map((userId) => ({ userId, score: 0, place: null })),
  });

  it("has the state of its schema, not what `setup` returns", () => {
    const state = game.setup(["ada"], { nowMs: 0, random: { below: () => 0 } });
    expect(game.end({ ...state, winner: "ada", cells: [0, 1] })).to.have.length(1);
    // @ts-expect-error: a winner is a user, or null.
    return { ...state, winner: 7 } satisfies typeof state;
  });
});

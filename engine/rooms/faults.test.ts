import { matchMaker } from "@colyseus/core";
import { expect } from "chai";
import pg from "pg";
import type { VoiceAction } from "#shared/contracts/actions.ts";
import type { gameActions, LobbyAction } from "#shared/contracts/game-actions.ts";
import type { Seat } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import type { Live } from "#shared/domain/live/rooms/live.ts";
import { newId } from "#shared/kernel/ids.ts";
import {
  closeClients,
  connectSocket,
  joinNative,
  type Payload,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { patienceMs } from "../core/command.ts";
import { engine } from "../engine.ts";

// biome-ignore lint/suspicious/noExplicitAny: the faults reach into the actor.
type Inside = any;

type Transport = "socket" | "native" | "rest";

/** A room with its host, and Ada in it; Eve isn't. */
interface Scene {
  readonly room: BuiltRoom;
  readonly ada: BuiltUser;
  readonly eve: BuiltUser;
  readonly messageId: string;
  /** The lobby or game, of an action on one. */
  readonly lobbyId?: string;
  readonly sessionId?: string;
}

interface Row {
  /** What must be true before, made by the host (first) and Ada. */
  readonly before?: (scene: Scene, sockets: readonly [SocketClient, SocketClient]) => Promise<unknown>;
  readonly by: "host" | "ada" | "eve";
  readonly input?: (scene: Scene) => object;
  /** The REST form, if there is one: method, path, and body. */
  readonly rest?: (scene: Scene) => readonly [string, string, object?];
  /** Absent: only REST has it. */
  readonly onlyRest?: true;
  /** Whether the room shows that it was done. */
  readonly happened: (view: Payload, scene: Scene) => boolean | Promise<boolean>;
}

const seatOf = (view: Payload, no: number): Seat | undefined => view.seats[no - 1];
const isMember = (view: Payload, { id }: BuiltUser) => view.members.some(({ user }: Payload) => user.id === id);
const count = async (text: string, ...values: string[]) => (await query(text, values)).length > 0;

/** What the room's actor keeps, beside what its view shows. */
const liveOf = ({ room }: Scene): Live => (matchMaker.getLocalRoomById(room.id) as Inside).data.live;
const hasRequest = (scene: Scene) => liveOf(scene).requests.some(({ userId }) => userId === scene.ada.id);

const asking: Row["before"] = ({ room }, [, ada]) => ada.ask("seat:request", { room_id: room.id, seat_no: 3 });
const inviting: Row["before"] = ({ room, ada }, [host]) =>
  host.ask("seat:invite", { room_id: room.id, user_id: ada.id, seat_no: 4 });
const seating: Row["before"] = async (scene, sockets) => {
  await inviting!(scene, sockets);
  await sockets[1].ask("seat:accept_invite", { room_id: scene.room.id });
};
const requestOf = (scene: Scene) => ({
  request_id: liveOf(scene).requests.find(({ userId }) => userId === scene.ada.id)?.id ?? newId(),
});
const lobbyRow = async ({ lobbyId }: Scene) =>
  (
    await query<{ status: string; players: { userId: string; ready: boolean }[] }>(
      "SELECT status, players FROM game_lobbies WHERE id = $1",
      [lobbyId],
    )
  )[0]!;

/** Each action that changes something that lasts: one without a row does not compile. */
type Changing = Exclude<VoiceAction, "room:sync" | "room:heart"> | LobbyAction | keyof typeof gameActions;

const rows: Record<Changing | "room:update" | "room:close", Row> = {
  "room:join": {
    by: "eve",
    rest: ({ room }) => ["post", `/rooms/${room.id}/join`, {}],
    happened: (view, { eve }) => isMember(view, eve),
  },
  "room:leave": {
    by: "ada",
    rest: ({ room }) => ["post", `/rooms/${room.id}/leave`],
    happened: (view, { ada }) => !isMember(view, ada),
  },
  "room:message": {
    by: "ada",
    input: () => ({ body: "said with a fault", client_id: "fault" }),
    happened: (_view, { room }) =>
      count("SELECT 1 FROM room_messages WHERE room_id = $1 AND client_id = 'fault'", room.id),
  },
  "message:edit": {
    by: "ada",
    input: ({ messageId }) => ({ message_id: messageId, body: "edited with a fault" }),
    rest: ({ room, messageId }) => [
      "patch",
      `/rooms/${room.id}/messages/${messageId}`,
      { body: "edited with a fault" },
    ],
    happened: (_view, { messageId }) =>
      count("SELECT 1 FROM room_messages WHERE id = $1 AND body = 'edited with a fault'", messageId),
  },
  "message:react": {
    by: "ada",
    input: ({ messageId }) => ({ message_id: messageId, emoji: "🔥" }),
    rest: ({ room, messageId }) => ["put", `/rooms/${room.id}/messages/${messageId}/reactions/🔥`],
    happened: (_view, { messageId }) => count("SELECT 1 FROM message_reactions WHERE message_id = $1", messageId),
  },
  "message:unreact": {
    before: async ({ room, messageId }, [, ada]) =>
      ada.ask("message:react", { room_id: room.id, message_id: messageId, emoji: "🔥" }),
    by: "ada",
    input: ({ messageId }) => ({ message_id: messageId, emoji: "🔥" }),
    rest: ({ room, messageId }) => ["delete", `/rooms/${room.id}/messages/${messageId}/reactions/🔥`],
    happened: async (_view, { messageId }) =>
      !(await count("SELECT 1 FROM message_reactions WHERE message_id = $1", messageId)),
  },
  "message:pin": {
    by: "host",
    input: ({ messageId }) => ({ message_id: messageId }),
    rest: ({ room, messageId }) => ["put", `/rooms/${room.id}/pins/${messageId}`],
    happened: (_view, { messageId }) => count("SELECT 1 FROM message_pins WHERE message_id = $1", messageId),
  },
  "message:unpin": {
    before: ({ room, messageId }, [host]) => host.ask("message:pin", { room_id: room.id, message_id: messageId }),
    by: "host",
    input: ({ messageId }) => ({ message_id: messageId }),
    rest: ({ room, messageId }) => ["delete", `/rooms/${room.id}/pins/${messageId}`],
    happened: async (_view, { messageId }) =>
      !(await count("SELECT 1 FROM message_pins WHERE message_id = $1", messageId)),
  },
  "message:delete": {
    by: "host",
    input: ({ messageId }) => ({ message_id: messageId }),
    rest: ({ room, messageId }) => ["delete", `/rooms/${room.id}/messages/${messageId}`],
    happened: (_view, { messageId }) =>
      count("SELECT 1 FROM room_messages WHERE id = $1 AND deleted_at IS NOT NULL", messageId),
  },
  "seat:lock": {
    by: "host",
    input: () => ({ seat_no: 5, locked: true }),
    happened: (view) => seatOf(view, 5)?.locked === true,
  },
  "audio:state": {
    by: "host",
    input: () => ({ muted: true }),
    happened: (view) => seatOf(view, 1)?.muted === true,
  },
  "room:kick": {
    by: "host",
    input: ({ ada }) => ({ user_id: ada.id, ban_minutes: 5 }),
    rest: ({ room, ada }) => ["post", `/rooms/${room.id}/kick`, { user_id: ada.id, ban_minutes: 5 }],
    happened: (_view, { room, ada }) =>
      count("SELECT 1 FROM room_bans WHERE room_id = $1 AND user_id = $2", room.id, ada.id),
  },
  "room:role": {
    by: "host",
    input: ({ ada }) => ({ user_id: ada.id, role: "moderator" }),
    rest: ({ room, ada }) => ["put", `/rooms/${room.id}/members/${ada.id}/role`, { role: "moderator" }],
    happened: (_view, { room, ada }) =>
      count("SELECT 1 FROM room_moderators WHERE room_id = $1 AND user_id = $2", room.id, ada.id),
  },
  "room:mute_chat": {
    by: "host",
    input: ({ ada }) => ({ user_id: ada.id, minutes: 5 }),
    happened: (_view, scene) => liveOf(scene).chatMutes.some(({ userId }) => userId === scene.ada.id),
  },
  "seat:request": { by: "ada", input: () => ({ seat_no: 3 }), happened: (_view, scene) => hasRequest(scene) },
  "seat:cancel": { before: asking, by: "ada", happened: (_view, scene) => !hasRequest(scene) },
  "seat:reject": { before: asking, by: "host", input: requestOf, happened: (_view, scene) => !hasRequest(scene) },
  "seat:approve": {
    before: asking,
    by: "host",
    input: requestOf,
    happened: (view, { ada }) => seatOf(view, 3)?.user?.id === ada.id,
  },
  "seat:invite": {
    by: "host",
    input: ({ ada }) => ({ user_id: ada.id, seat_no: 4 }),
    happened: (_view, scene) => liveOf(scene).invites.some(({ userId }) => userId === scene.ada.id),
  },
  "seat:accept_invite": {
    before: inviting,
    by: "ada",
    happened: (view, { ada }) => seatOf(view, 4)?.user?.id === ada.id,
  },
  "seat:leave": { before: seating, by: "ada", happened: (view) => !seatOf(view, 4)?.user },
  "seat:remove": {
    before: seating,
    by: "host",
    input: () => ({ seat_no: 4 }),
    happened: (view) => !seatOf(view, 4)?.user,
  },
  "seat:mute": {
    before: seating,
    by: "host",
    input: () => ({ seat_no: 4, muted: true }),
    happened: (view) => seatOf(view, 4)?.muted_by_host === true,
  },
  "lobby:join": {
    by: "eve",
    happened: async (_view, scene) => (await lobbyRow(scene)).players.some(({ userId }) => userId === scene.eve.id),
  },
  "lobby:ready": {
    by: "ada",
    happened: async (_view, scene) =>
      (await lobbyRow(scene)).players.some(({ userId, ready }) => userId === scene.ada.id && ready),
  },
  "lobby:leave": {
    by: "ada",
    happened: async (_view, scene) => !(await lobbyRow(scene)).players.some(({ userId }) => userId === scene.ada.id),
  },
  "lobby:start": {
    before: (scene, [, ada]) => ada.ask("lobby:ready", { lobby_id: scene.lobbyId }),
    by: "host",
    happened: async (_view, scene) => (await lobbyRow(scene)).status === "in_game",
  },
  "game:action": {
    by: "host",
    input: () => ({ action: { kind: "roll" } }),
    happened: (_view, { sessionId }) =>
      count("SELECT 1 FROM game_sessions WHERE id = $1 AND (state->>'version')::int > 1", sessionId!),
  },
  "room:update": {
    by: "host",
    onlyRest: true,
    rest: ({ room }) => ["patch", `/rooms/${room.id}`, { name: "Early birds" }],
    happened: (view) => view.name === "Early birds",
  },
  "room:close": {
    by: "host",
    onlyRest: true,
    rest: ({ room }) => ["delete", `/rooms/${room.id}`],
    happened: (view) => view.status === "closed",
  },
};

/** Answers to a repeated action that say that it has been done. */
const doneCodes = [
  "NOT_FOUND",
  "NOT_A_MEMBER",
  "ROOM_CLOSED",
  "REQUEST_ALREADY_PENDING",
  "REQUEST_NOT_PENDING",
  "ALREADY_SEATED",
  "NOT_SEATED",
  "LOBBY_NOT_OPEN",
  "NOT_YOUR_TURN",
];

const lost = () => Object.assign(new Error("Connection terminated unexpectedly"), { name: "SequelizeConnectionError" });

/**
 * Makes the client of the database fail: `isHit` tells which statements, `runs` whether they are executed nevertheless.
 */
function breakDatabase(isHit: (text: string) => boolean, runs: boolean): () => void {
  const prototype = pg.Client.prototype as Inside;
  const { query: real } = prototype;
  prototype.query = function (...args: Inside[]) {
    const text = typeof args[0] === "string" ? args[0] : args[0]?.text;
    if (typeof text !== "string" || !isHit(text)) return real.apply(this, args);
    const callback = args.findLast((one) => typeof one === "function");
    const fail = () => (callback ? callback(lost()) : Promise.reject(lost()));
    if (!runs) return callback ? setImmediate(fail) : fail();
    return callback ? real.call(this, text, fail) : real.apply(this, args).then(fail);
  };
  return () => {
    prototype.query = real;
  };
}

/** Plants a fault in the actor, for the action. Returns a function that removes it. */
const faults: Record<string, (actor: Inside, action: string) => () => void> = {
  "the commit fails": (actor) => {
    for (const name of ["save", "saveAlone"]) actor[name] = () => Promise.reject(lost());
    return () => {
      for (const name of ["save", "saveAlone"]) delete actor[name];
    };
  },
  "the answer to the commit is lost": (actor) => {
    let isArmed = false;
    const { save } = Object.getPrototypeOf(actor);
    actor.save = (...args: Inside[]) => {
      isArmed = true;
      return save.apply(actor, args);
    };
    const mend = breakDatabase((text) => isArmed && /^commit/i.test(text), true);
    return () => {
      delete actor.save;
      mend();
    };
  },
  "the change can't be applied": (actor, action) => {
    const { actions } = actor;
    const { decide, ...rest } = actions[action];
    actor.actions = {
      ...actions,
      [action]: {
        ...rest,
        decide: (...args: Inside[]) => ({
          ...decide(...args),
          apply: () => {
            throw new Error("planted");
          },
        }),
      },
    };
    return () => {
      actor.actions = actions;
    };
  },
  "nothing can be pushed": () => {
    const { fanout } = engine() as Inside;
    for (const name of ["toRoom", "toUsers", "admitSession"])
      fanout[name] = () => {
        throw new Error("planted");
      };
    return () => {
      for (const name of ["toRoom", "toUsers", "admitSession"]) delete fanout[name];
    };
  },
  "the database is gone once the change is applied": (actor) => {
    let isGone = false;
    const { applied } = Object.getPrototypeOf(actor);
    actor.applied = (...args: Inside[]) => {
      isGone = true;
      setTimeout(() => {
        isGone = false;
      }, 100);
      applied.apply(actor, args);
    };
    const mend = breakDatabase(() => isGone, false);
    return () => {
      delete actor.applied;
      mend();
    };
  },
};

type Action = keyof typeof rows;

const actorIdOf = ({ sessionId, lobbyId, room }: Scene): string => sessionId ?? lobbyId ?? room.id;
const idsOf = ({ sessionId, lobbyId, room }: Scene): object => {
  if (sessionId) return { session_id: sessionId };
  return lobbyId ? { lobby_id: lobbyId } : { room_id: room.id };
};

/** An actor that can't know what is true ends its native connections: the client asks again. */
const endedUnanswered = (error: Error): Payload => {
  expect(error.message).to.include("connection closed before a response");
  return { success: false, error };
};

describe("an action that meets a fault", () => {
  const service = useService();
  afterEach(closeClients);

  async function makeScene(action: Action): Promise<Scene> {
    const [room, ada, eve] = await Promise.all([buildRoom(), buildUser(), buildUser()]);
    const sockets = await Promise.all([room.host, ada].map(({ token }) => connectSocket(service.url, token)));
    for (const { ask } of sockets) await ask("room:join", { room_id: room.id });
    const said = await sockets[1]!.ask("room:message", { room_id: room.id, body: "Good evening!" });
    const scene: Scene = { room, ada, eve, messageId: said.data.id, ...(await play(action, room, ada)) };
    await rows[action].before?.(scene, sockets as [SocketClient, SocketClient]);
    return scene;
  }

  /** Opens a lobby of the host's with Ada in it, or begins its game, for an action on one. */
  async function play(action: Action, { host }: BuiltRoom, ada: BuiltUser): Promise<Partial<Scene>> {
    if (!/^(lobby|game):/.test(action)) return {};
    const post = async ({ token }: BuiltUser, path: string, body: object = {}) =>
      (await service.call("post", `/games/lobbies${path}`, { token, body })).body.data;
    const { id: lobbyId } = await post(host, "", { type: "snakes_and_ladders" });
    await post(ada, `/${lobbyId}/join`);
    if (action.startsWith("lobby:")) return { lobbyId };
    await post(ada, `/${lobbyId}/ready`);
    return { sessionId: (await post(host, `/${lobbyId}/start`)).session_id };
  }

  /** Makes a connection that can ask, before there is a fault; joining over the native transport is connecting. */
  async function asker(transport: Transport, scene: Scene, action: Action): Promise<() => Promise<Payload>> {
    const { by, input, rest } = rows[action];
    const { token } = by === "host" ? scene.room.host : scene[by];
    const payload = { ...idsOf(scene), ...input?.(scene) };
    if (transport === "rest") {
      const [method, path, body] = rest!(scene);
      return async () => (await service.call(method, path, { token, body })).body;
    }
    if (transport === "native" && action === "room:join")
      return () =>
        joinNative(service.url, token, { room_id: scene.room.id }).then(
          () => ({ success: true }),
          () => ({ success: false, error: {} }),
        );
    const client =
      transport === "socket"
        ? await connectSocket(service.url, token)
        : await joinNative(service.url, token, { room_id: scene.room.id });
    return () => client.ask(action, payload);
  }

  for (const transport of ["socket", "native"] as const)
    it(`has not happened when its turn comes too late, over ${transport}`, async () => {
      const scene = await makeScene("seat:request");
      const actor: Inside = matchMaker.getLocalRoomById(scene.room.id);
      const [lock, request] = [
        await asker("socket", scene, "seat:lock"),
        await asker(transport, scene, "seat:request"),
      ];
      const [turn, arrival, end] = [1, 2, 3].map(() => Promise.withResolvers<void>());
      const { save } = Object.getPrototypeOf(actor);
      actor.save = async (...args: Inside[]) => {
        turn!.resolve();
        await end!.promise;
        return save.apply(actor, args);
      };
      const { actions } = actor;
      const prepare = async (...args: Inside[]) => {
        const prepared = await actions["seat:request"].prepare?.(...args);
        setImmediate(arrival!.resolve);
        return prepared;
      };
      actor.actions = { ...actions, "seat:request": { ...actions["seat:request"], prepare } };
      const { now } = performance;
      try {
        const locked = lock();
        await turn!.promise;
        const requested = request();
        await arrival!.promise;
        performance.now = () => now.call(performance) + patienceMs + 1;
        end!.resolve();

        expect((await requested).error.code).to.equal("ENGINE_UNAVAILABLE");
        expect(hasRequest(scene)).to.equal(false);
        expect((await locked).success).to.equal(true);
      } finally {
        performance.now = now;
        end!.resolve();
        delete actor.save;
        actor.actions = actions;
      }
      expect((await request()).success).to.equal(true);
    });

  for (const [fault, plant] of Object.entries(faults))
    for (const [action, row] of Object.entries(rows) as [Action, Row][]) {
      const transports: Transport[] = [
        ...(row.onlyRest ? [] : (["socket", "native"] as const)),
        ...(row.rest ? (["rest"] as const) : []),
      ];
      it(`agrees with its answer: ${action} when ${fault}`, async () => {
        for (const transport of transports) {
          const scene = await makeScene(action);
          const ask = await asker(transport, scene, action);
          const mend = plant(matchMaker.getLocalRoomById(actorIdOf(scene)), action);
          const answer = await ask().catch(endedUnanswered).finally(mend);

          const view = await service.call("get", `/rooms/${scene.room.id}`, { token: scene.room.host.token });
          const happened = await row.happened(view.body.data, scene);
          const remark = `${transport}: ${JSON.stringify(answer.error)}`;
          if (answer.success) expect(happened, remark).to.equal(true);
          else if (happened) {
            const again = await (await asker(row.onlyRest ? "rest" : "socket", scene, action))();
            expect(
              again.success || doneCodes.includes(again.error.code),
              `${remark}, then ${JSON.stringify(again.error)}`,
            ).to.equal(true);
          }
          closeClients();
        }
      });
    }
});

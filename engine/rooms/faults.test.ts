import { matchMaker } from "@colyseus/core";
import { expect } from "chai";
import pg from "pg";
import type { Seat } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { closeClients, connectSocket, joinNative, type Payload } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
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
}

interface Row {
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

const rows: Record<string, Row> = {
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
const doneCodes = ["NOT_FOUND", "NOT_A_MEMBER", "ROOM_CLOSED"];

const lost = () => Object.assign(new Error("Connection terminated unexpectedly"), { name: "SequelizeConnectionError" });

/** Makes the client of the database fail: `isHit` tells which statements, `runs` whether they are executed nevertheless. */
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
    actor.save = () => Promise.reject(lost());
    return () => delete actor.save;
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

/** An actor that can't know what is true ends its native connections: the client asks again. */
const endedUnanswered = (error: Error): Payload => {
  expect(error.message).to.include("connection closed before a response");
  return { success: false, error };
};

describe("an action that meets a fault", function () {
  this.timeout(20_000);
  const service = useService();
  afterEach(closeClients);

  async function makeScene(): Promise<Scene> {
    const [room, ada, eve] = await Promise.all([buildRoom(), buildUser(), buildUser()]);
    const sockets = await Promise.all([room.host, ada].map(({ token }) => connectSocket(service.url, token)));
    for (const { ask } of sockets) await ask("room:join", { room_id: room.id });
    const said = await sockets[1]!.ask("room:message", { room_id: room.id, body: "Good evening!" });
    return { room, ada, eve, messageId: said.data.id };
  }

  /** Makes a connection that can ask, before there is a fault; joining over the native transport is connecting. */
  async function asker(transport: Transport, scene: Scene, action: string): Promise<() => Promise<Payload>> {
    const { by, input, rest } = rows[action]!;
    const { token } = by === "host" ? scene.room.host : scene[by];
    const payload = { room_id: scene.room.id, ...input?.(scene) };
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

  for (const [fault, plant] of Object.entries(faults))
    for (const [action, row] of Object.entries(rows)) {
      const transports: Transport[] = [
        ...(row.onlyRest ? [] : (["socket", "native"] as const)),
        ...(row.rest ? (["rest"] as const) : []),
      ];
      it(`agrees with its answer: ${action} when ${fault}`, async () => {
        for (const transport of transports) {
          const scene = await makeScene();
          const ask = await asker(transport, scene, action);
          const mend = plant(matchMaker.getLocalRoomById(scene.room.id), action);
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

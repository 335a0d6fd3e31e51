import type { Timeline } from "../../api/docs/timeline-page.ts";
import { connectSocket, type Payload, type SocketClient } from "./clients/clients.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "./factories.ts";
import type { ApiClient } from "./service.ts";

const names = ["Ada", "Grace"] as const;
type Name = (typeof names)[number];

interface Step {
  readonly by: Name;
  /** An event, or a call such as `POST /rooms/:id/gifts`. */
  readonly call: string;
  readonly payload?: (known: Readonly<Record<string, string>>) => Record<string, unknown>;
  /** The last event that everyone in the room receives a moment after the answer. */
  readonly until?: string;
}

const steps: readonly Step[] = [
  { by: "Ada", call: "room:join" },
  { by: "Grace", call: "room:join" },
  { by: "Grace", call: "room:message", payload: () => ({ body: "Good evening!" }) },
  { by: "Grace", call: "seat:request", payload: () => ({ seat_no: 3 }) },
  { by: "Ada", call: "seat:approve", payload: ({ request }) => ({ request_id: request }) },
  { by: "Grace", call: "audio:state", payload: () => ({ muted: true }) },
  {
    by: "Ada",
    call: "POST /rooms/:id/gifts",
    payload: ({ gift, Grace }) => ({ gift_id: gift, recipient_id: Grace, quantity: 3 }),
    // Gifts on seats are announced together, after the animations.
    until: "room:seats_updated",
  },
  { by: "Ada", call: "seat:mute", payload: () => ({ seat_no: 3, muted: true }) },
  { by: "Grace", call: "seat:leave" },
  { by: "Ada", call: "room:role", payload: ({ Grace }) => ({ user_id: Grace, role: "moderator" }) },
  { by: "Grace", call: "room:leave" },
  { by: "Ada", call: "DELETE /rooms/:id", until: "room:closed" },
];

/** Events that come from the outbox at some time, and don't belong to a step. */
const beside = new Set(["presence:update", "notification:new"]);

/** Plays the life of a room with real clients, and returns who called what and what each received. */
export async function recordTimeline(service: { readonly url: string; readonly call: ApiClient }): Promise<Timeline> {
  const [ada, grace] = await Promise.all([
    buildUser({ full_name: "Ada Lovelace", coins: 100 }),
    buildUser({ full_name: "Grace Hopper" }),
  ]);
  const [room, gift] = await Promise.all([buildRoom({ host: ada }), buildGift({ price: 10 })]);
  const users: Record<Name, BuiltUser> = { Ada: ada, Grace: grace };
  const clients: Record<Name, SocketClient> = {
    Ada: await connectSocket(service.url, ada.token),
    Grace: await connectSocket(service.url, grace.token),
  };
  const known: Record<string, string> = { room: room.id, gift: gift.id, Ada: ada.id, Grace: grace.id };
  let first: number | undefined;

  const recorded: Timeline["steps"][number][] = [];
  for (const { by, call, payload, until } of steps) {
    const before = names.map((name) => clients[name].inbox.all.length);
    const earlier = new Set(names.flatMap((name) => clients[name].inbox.all.map((one) => one.payload)));
    const body = payload?.(known);
    const [method, path] = call.split(" ");
    const answer: Payload = path
      ? (await service.call(method!.toLowerCase(), path.replace(":id", room.id), { token: users[by].token, body })).body
      : await clients[by].ask(call, { room_id: room.id, ...body });
    if (call === "seat:request") known.request = answer.data.id;
    if (until)
      await Promise.all(
        names.filter(isIn(recorded)).map((name) => clients[name].inbox.next(until, (payload) => !earlier.has(payload))),
      );
    // What was pushed to a socket before is received before the answer to this.
    for (const name of names) await clients[name].ask("room:sync", { room_id: room.id, since_seq: 0 });

    const received = names.map((name, index) =>
      clients[name].inbox.all
        .slice(before[index])
        .filter(({ event }) => !beside.has(event))
        .map(({ event, payload: { seq } }) => {
          first ??= seq;
          return typeof seq === "number" ? { event, seq: seq - first! + 1 } : { event };
        }),
    );
    recorded.push({
      by,
      call,
      ...(body && { payload: named(body, known) }),
      reply: answer.success ? "success" : answer.error.code,
      received: Object.fromEntries(names.map((name, index) => [name, received[index]!])),
    });
  }
  return { people: [...names], steps: recorded };
}

/** Whether a person is in the room after these steps. */
const isIn = (recorded: Timeline["steps"]) => (name: Name) =>
  recorded.filter(({ by, call }) => by === name && /^room:(join|leave)$/.test(call)).at(-1)?.call === "room:join";

/** The payload with names instead of the IDs of this run. */
const named = (body: Record<string, unknown>, known: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(body).map(([field, value]) => {
      const name = Object.keys(known).find((one) => known[one] === value);
      return [field, name ? `<${name}>` : value];
    }),
  );

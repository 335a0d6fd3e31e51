import { type Fields, object } from "#shared/contracts/fields.ts";
import type { Parts } from "./define.ts";

interface RoomEvent {
  /** A sentence without a full stop. */
  readonly summary: string;
  readonly fields: Fields;
  /** The fields with the rooms that it is pushed to; `room_id` by default. Its events are ordered by the first. */
  readonly rooms?: readonly string[];
}

/**
 * Returns the parts for domain events that everyone in their rooms is told of, by name. Clients receive
 * `red_packets.sent` as `red_packets:sent`, with the same fields.
 */
export function roomEvents(given: Readonly<Record<string, RoomEvent>>): Required<Pick<Parts, "publishes" | "events">> {
  const events = Object.entries(given).map(([name, event]) => ({ rooms: ["room_id"], name, ...event }));
  const pushed = (name: string) => name.replace(".", ":");
  return {
    publishes: Object.fromEntries(
      events.map(({ name, summary, fields, rooms }) => [
        name,
        {
          ...{ version: 1, summary, fields, key: rooms[0]! },
          push: (payload: Readonly<Record<string, string>>) =>
            rooms.map((room) => ({ roomId: payload[room]!, event: pushed(name), payload })),
        },
      ]),
    ),
    events: Object.fromEntries(
      events.map(({ name, summary, fields }) => [
        pushed(name),
        { payload: object(fields), to: "everyone in the room", summary },
      ]),
    ),
  };
}

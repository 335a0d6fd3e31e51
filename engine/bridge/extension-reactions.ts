import { loadedExtensions } from "#shared/extension/loaded.ts";
import { notifyRoom } from "./notify-room.ts";
import { room } from "./targets.ts";

/** What is pushed because of the domain events that extensions publish. */
export const reactionsOfExtensions: ReadonlyMap<string, object> = new Map(
  loadedExtensions.flatMap(({ parts }) =>
    Object.entries(parts.publishes ?? {}).map(([topic, { push }]) => {
      if (!push) return [topic, {}] as const;
      return [
        topic,
        {
          to: (payload: never) => [push(payload)].flat().map(({ roomId }) => room(roomId)),
          push: (payload: never, to: string) => {
            const { roomId, event, payload: shown } = [push(payload)].flat().find(({ roomId }) => roomId === to)!;
            return notifyRoom(roomId, "room:push", { push: { event, payload: shown } as never, except: [] });
          },
        },
      ] as const;
    }),
  ),
);

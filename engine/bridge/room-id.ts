import { isId } from "#shared/kernel/ids.ts";

/** The room that a client's payload names, in the one spelling that ids have here; undefined when it names none. */
export function roomIdIn(payload: unknown): string | undefined {
  const { room_id } = (payload ?? {}) as { room_id?: unknown };
  return isId(room_id) ? room_id.toLowerCase() : undefined;
}

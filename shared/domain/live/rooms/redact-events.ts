import type { UserCard } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { userCards } from "#shared/domain/identity/users/user-cards.queries.ts";

/** An event of a room as it was pushed. */
export interface PushedEvent {
  readonly event: string;
  readonly payload: object;
}

/** The parts of pushed events that were deleted after the push. */
export interface Deleted {
  /** Who deleted each message. */
  readonly messages: ReadonlyMap<string, string>;
  /** The cards of erased users, as they are now. */
  readonly cards: ReadonlyMap<string, UserCard>;
}

/** A message that an event shows, and who has written it, if the event says so. */
interface PushedMessage {
  readonly id: string;
  readonly userId: string;
}

function messageIn({ event, payload }: PushedEvent): PushedMessage | undefined {
  if (event === "room:new_message") {
    const { message } = payload as {
      readonly message: { readonly id: string; readonly user: { readonly id: string } };
    };
    return { id: message.id, userId: message.user.id };
  }
  if (event !== "message:updated") return undefined;
  const { message_id, by } = payload as { readonly message_id: string; readonly by: string };
  return { id: message_id, userId: by };
}

const isCard = (value: object): value is UserCard => "username" in value && "full_name" in value;

/** Copies a value, with each user's card in it replaced. */
function mapCards(value: unknown, replace: (card: UserCard) => UserCard): unknown {
  if (Array.isArray(value)) return value.map((one) => mapCards(one, replace));
  if (typeof value !== "object" || value === null) return value;
  if (isCard(value)) return replace(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapCards(one, replace)]));
}

/** Returns what these events of a room show that has been deleted or erased since they were pushed. */
export async function findDeleted(events: readonly PushedEvent[]): Promise<Deleted> {
  const messages = events.flatMap((one) => messageIn(one) ?? []);
  const userIds = new Set<string>();
  mapCards(
    events.map(({ payload }) => payload),
    (card) => {
      userIds.add(card.id);
      return card;
    },
  );

  const [kept, erased] = await Promise.all([
    query<{ id: string; deleted_by: string | null; deleted: boolean }>(
      "SELECT id, deleted_by, deleted_at IS NOT NULL AS deleted FROM room_messages WHERE id = ANY($1::uuid[])",
      [messages.map(({ id }) => id)],
    ),
    query<{ id: string }>("SELECT id FROM users WHERE id = ANY($1::uuid[]) AND status = 'deleted'", [[...userIds]]),
  ]);

  const rows = new Map(kept.map((row) => [row.id, row]));
  const isDeleted = (id: string) => rows.get(id)?.deleted ?? true;
  return {
    messages: new Map(
      messages.filter(({ id }) => isDeleted(id)).map(({ id, userId }) => [id, rows.get(id)?.deleted_by ?? userId]),
    ),
    cards: await userCards(erased.map(({ id }) => id)),
  };
}

/**
 * Returns the events without what was deleted. A deleted message becomes its deletion, so that its `seq` is not
 * missing; the card of an erased user becomes the card that all lists show.
 */
export function redactEvents(events: readonly PushedEvent[], { messages, cards }: Deleted): PushedEvent[] {
  // Some may have been deleted since it was looked for.
  const deletions = events.flatMap(({ event, payload }) =>
    event === "room:message_deleted" ? [payload as { message_id: string; by: string }] : [],
  );
  const deleters = new Map([...messages, ...deletions.map(({ message_id, by }) => [message_id, by] as const)]);
  return events.map((one) => {
    const message = messageIn(one);
    const by = message && deleters.get(message.id);
    if (message && by) {
      const { room_id, seq } = one.payload as { room_id: string; seq: number };
      return { event: "room:message_deleted", payload: { room_id, message_id: message.id, by, seq } };
    }
    if (cards.size === 0) return one;
    const payload = mapCards(one.payload, (card) => cards.get(card.id) ?? card) as object;
    return { event: one.event, payload };
  });
}

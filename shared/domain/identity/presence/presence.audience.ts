import { hiddenSights, type PresenceUpdate, presencesOf } from "./presence.queries.ts";

/** A user, and another user who is notified of their presence. */
export interface Watching {
  readonly user_id: string;
  readonly watcher_id: string;
}

/** The users who, by one kind of relation, are notified when these users come or go. */
export type AudienceSource = (userIds: readonly string[]) => Promise<readonly Watching[]>;

/** The user's own other devices. */
const oneself: AudienceSource = async (userIds) => userIds.map((id) => ({ user_id: id, watcher_id: id }));

/** In the order in which they are queried. Features that depend on this one (friends, followers) add theirs. */
const sources = new Set<AudienceSource>([oneself]);

export function addAudienceSource(source: AudienceSource): void {
  sources.add(source);
}

/** An update about one user, and the users who receive it, each once. */
export interface AddressedPresence {
  readonly presence: PresenceUpdate;
  readonly audience: readonly string[];
}

/**
 * Returns what to push about these users. For a user who hides their presence there is nothing, except, with
 * `ofHidden`, that they are offline: to those who may have seen them before they hid.
 */
export async function addressPresence(
  userIds: readonly string[],
  { ofHidden = false }: { ofHidden?: boolean } = {},
): Promise<AddressedPresence[]> {
  const presences = await presencesOf(userIds);
  const visible = presences.filter(({ shown }) => shown || ofHidden);
  const watchers = await watchersOf(visible.map(({ update }) => update.user_id));
  return hideRooms(
    visible.map(({ update }) => ({ presence: update, audience: [...(watchers.get(update.user_id) ?? [])] })),
  );
}

/** Removes the room from what is pushed to users between whom and the room's host a block stands. */
async function hideRooms(updates: readonly AddressedPresence[]): Promise<AddressedPresence[]> {
  const sights = updates.flatMap(({ presence: { user_id, room_id }, audience }) =>
    room_id === null
      ? []
      : audience.filter((id) => id !== user_id).map((watcher_id) => ({ user_id, room_id, watcher_id })),
  );
  const hidden = new Set((await hiddenSights(sights)).map(({ user_id, watcher_id }) => `${user_id} ${watcher_id}`));
  if (hidden.size === 0) return [...updates];
  return updates.flatMap(({ presence, audience }) => {
    const blind = audience.filter((id) => hidden.has(`${presence.user_id} ${id}`));
    const seeing = audience.filter((id) => !blind.includes(id));
    return [
      { presence, audience: seeing },
      { presence: { ...presence, room_id: null }, audience: blind },
    ];
  });
}

async function watchersOf(userIds: readonly string[]): Promise<Map<string, Set<string>>> {
  const watchers = new Map(userIds.map((id) => [id, new Set<string>()]));
  if (userIds.length === 0) return watchers;
  for (const source of sources)
    for (const { user_id, watcher_id } of await source(userIds)) watchers.get(user_id)?.add(watcher_id);
  return watchers;
}

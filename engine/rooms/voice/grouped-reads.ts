import type { UserCard } from "#shared/contracts/views.ts";
import { GroupCommit } from "#shared/db/group-commit.ts";
import { onActorPool } from "#shared/db/sequelize.ts";
import { tellBlocks, whichBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { connectedCards, userCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** What each join reads. Users come in crowds, so those who come at once share a statement of each kind. */

type Cards = (ids: readonly string[]) => Promise<Map<string, UserCard>>;

const reader = (cards: Cards) =>
  new GroupCommit<string, UserCard | undefined>(async (ids) => {
    const found = await onActorPool(() => cards(ids));
    return ids.map((id) => found.get(id));
  });

const anyone = reader(userCards);
const connected = reader(connectedCards);
const blocks = new GroupCommit<readonly [string, string], boolean>((pairs) => onActorPool(() => whichBlocked(pairs)));

/** Returns a user's card. `isConnected`: they are known to be, even if the database lags. @throws NOT_FOUND */
export async function readCard(id: string, { isConnected = false } = {}): Promise<UserCard> {
  const card = await (isConnected ? connected : anyone).add(id);
  if (!card) throw new DomainError("NOT_FOUND");
  return card;
}

/** @throws BLOCKED */
export async function assertNotBlocked(userId: string, otherId: string): Promise<void> {
  const isBlocked = await blocks.add([userId, otherId]);
  tellBlocks("shared", { blocked: isBlocked, blocker: isBlocked });
}

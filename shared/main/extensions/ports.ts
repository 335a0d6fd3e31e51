import type { Actors } from "#shared/contracts/actors.ts";
import type { Topic } from "#shared/contracts/domain-events.ts";
import { service } from "#shared/contracts/principal.ts";
import type { JobKind } from "#shared/db/jobs.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { areBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { userCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { findLobby } from "#shared/domain/live/games/lobby-state.ts";
import { roomCards } from "#shared/domain/live/rooms/rooms.queries.ts";
import { giftTotals, sentGifts } from "#shared/domain/money/gifts/sent-gifts.queries.ts";
import { transfer } from "#shared/domain/money/ledger/transfer.ts";
import { extensionJobs } from "#shared/domain/operations/extensions/handle-events.ts";
import { notify } from "#shared/domain/social/notifications/notify.ts";
import type { ExtensionTransfer, HubTx } from "#shared/extension/hub.ts";
import { entryType, ownName, schemaOf } from "#shared/extension/loaded.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError, unwrap } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Ports } from "./hub.ts";
import { foreignTable } from "./own-sql.ts";

let voice: Actors["voice"] | undefined;

/** Called once the engine runs. */
export function connectActors(actors: Actors): void {
  ({ voice } = actors);
}

const checked = new Set<string>();

/** @throws Error for SQL that names tables of others */
function assertOwnSql(name: string, sql: string): void {
  const key = `${name} ${sql}`;
  if (checked.has(key)) return;
  const foreign = foreignTable(name, sql);
  if (foreign) throw new Error(`The extension ${name} may not use ${foreign}: its tables are in ${schemaOf(name)}.`);
  // What is built with values in it isn't kept.
  if (checked.size < 1000) checked.add(key);
}

/** Its entries have one type, and its own account of the house. */
const ledgerTransfer = (tx: Tx, name: string, { cause, id, by, description, entries }: ExtensionTransfer) =>
  transfer(tx, {
    by,
    reference: { type: ownName(name, cause) as never, id },
    description,
    entries: entries.map(({ account, ...entry }) => ({
      ...entry,
      account:
        typeof account === "object" ? account : { house: account === "own" ? (schemaOf(name) as never) : account },
      type: entryType,
    })),
  });

function txOf(name: string, tx: Tx): HubTx {
  return {
    query: async (sql, values = []) => {
      assertOwnSql(name, sql);
      return tx.query(sql, values);
    },
    transfer: (order) => ledgerTransfer(tx, name, order),
    publish: (kind, payload) => tx.publish(kind as Topic, payload as never),
    notify: async (receiverId, { key, ...texts }) => {
      const eventKey = `${schemaOf(name)}:${key}`;
      const about = { type: "extension", setting: null, actorId: null, eventKey, groupKey: eventKey } as const;
      await notify(tx, [{ ...about, receiverId, data: { extension: name, texts: { values: {}, ...texts } } }]);
    },
    enqueue: (job, data, options) => tx.enqueue(kindOf(ownName(name, job)), data, options),
    audit: (principal, entry) => tx.audit(principal, entry),
  };
}

const kindOf = (name: string): JobKind<object> => {
  const kind = extensionJobs().find((job) => job.kind.name === name)?.kind;
  if (!kind) throw new Error(`There is no job ${name}.`);
  return kind;
};

/** Needs our tables; bound once they have loaded. */
export const ports: Ports = {
  txOf,
  query: async (name, sql, values) => {
    assertOwnSql(name, sql);
    return query(sql, values);
  },
  transaction: (name, work, idempotency) => inTransaction((tx) => work(txOf(name, tx)), idempotency),
  setting: (_name, key) => setting(key as never),
  users: (_name, ids) => userCards(ids),
  room: async (_name, id) => {
    const card = (await roomCards([id])).get(id);
    return card?.status === "open" && !card.is_private ? card : undefined;
  },
  lobby: async (_name, id) => {
    const found = await findLobby(id);
    if (!found) return undefined;
    const { type, room_id, host_id, players, status, session_id } = found;
    return { id, type, room_id, host_id, player_ids: players.map(({ userId }) => userId), status, session_id };
  },
  isInRoom: async (_name, roomId, userId) => {
    const found = unwrap(await voice!(roomId, service, "room:present", { user_ids: [userId] }));
    return found.present.includes(userId);
  },
  gifts: (_name, ids) => sentGifts(ids),
  giftTotals: (_name, roomIds, from, until) => giftTotals(roomIds, from, until),
  areBlocked: (_name, userId, otherId) => areBlocked(userId, otherId),
  now: () => clock.now(),
  newId: () => newId(),
  error: (_name, code, message, values) => new DomainError(code as never, message, values && { values }),
  log: (name, message, about) => logger.info({ extension: name, ...about }, message),
};

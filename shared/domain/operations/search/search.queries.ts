import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { NamedRecord } from "#shared/contracts/views.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import type { RecordId } from "#shared/domain/base/managed/managed-resource.ts";
import { findOrders } from "./find-orders.ts";
import { type Kind, kinds } from "./kinds.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const number = /^#?(\d{1,9})$/;

const readableBy = ({ permissions }: AdminPrincipal): Kind[] =>
  kinds.filter(({ permission }) => permissions.includes(permission));

const named = (
  { type, from, idType, key, id, name, detail }: Kind,
  ids: readonly RecordId[],
): Promise<NamedRecord[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : queryAnywhere<NamedRecord & Record<string, unknown>>(
        `SELECT '${type}' AS type, (${id})::text AS id, left(${name}, 300) AS name, left(${detail}, 300) AS detail
         FROM ${from} WHERE ${key} = ANY($1::${idType}[]) ORDER BY ${key} DESC`,
        [ids],
      );

/**
 * Finds records of all kinds that the caller may read: by an ID, also of what belongs to a record, such as a message of
 * a room; orders by `findOrders`; or by a part of a name, at most `foundOfKindMax` of each kind.
 */
export async function searchRecords(caller: AdminPrincipal, text: string): Promise<NamedRecord[]> {
  const readable = readableBy(caller);
  const id = text.toLowerCase();
  const [, integer] = number.exec(text) ?? [];

  const found = await Promise.all(
    readable.map(async (kind) => {
      if (uuid.test(id)) return kind.idType === "uuid" ? named(kind, [id]) : [];
      const own = integer !== undefined && kind.idType === "integer" ? [Number(integer)] : [];
      const byName = kind.search && text.length >= kind.searchMin ? await kind.search(text) : [];
      const others = kind.type === "order" ? await findOrders(text) : [];
      return named(kind, [...own, ...byName, ...others]);
    }),
  );
  return found.flat();
}

/** A record by its type and ID. */
export interface RecordRef {
  readonly type: string;
  readonly id: string;
}

/** Returns the names of records. Leaves out those that don't exist or that the caller may not read. */
export async function listNames(caller: AdminPrincipal, refs: readonly RecordRef[]): Promise<NamedRecord[]> {
  const direct = readableBy(caller).filter(({ id, key }) => id === key);
  const found = await Promise.all(
    direct.map((kind) => {
      const pattern = kind.idType === "uuid" ? uuid : number;
      return named(
        kind,
        refs.filter(({ type, id }) => type === kind.type && pattern.test(id)).map(({ id }) => id),
      );
    }),
  );
  return found.flat();
}

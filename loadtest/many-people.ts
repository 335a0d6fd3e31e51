import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { configureAccessTokens, issueAccessToken } from "#shared/domain/identity/sessions/access-token.ts";
import { newId } from "#shared/kernel/ids.ts";
import { insertUsers } from "#shared/testing/insert-users.ts";
import { type Person, type Service, tokenSecret } from "./service.ts";

async function onDatabase<T>(service: Service, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Adds users to the database of a service. `seconds`: how long their tokens live, if not as long as all others.
 */
export async function addPeople(service: Service, count: number, seconds?: number): Promise<Person[]> {
  configureAccessTokens(tokenSecret);
  const ids = await onDatabase(service, (client) =>
    insertUsers(async (sql, values) => (await client.query(sql, [...values])).rows, count),
  );
  return ids.map((id) => ({ id, token: issueAccessToken(id, newId(), seconds === undefined ? {} : { seconds }) }));
}

/** Returns the person with a token that lives for so many seconds. */
export function withLastingToken({ id }: Person, seconds: number): Person {
  configureAccessTokens(tokenSecret);
  return { id, token: issueAccessToken(id, newId(), { seconds }) };
}

/** Adds an open room for each host. Returns their IDs in the order of the hosts. */
export async function addRooms(service: Service, hosts: readonly Person[]): Promise<string[]> {
  const ids = hosts.map(() => newId());
  await onDatabase(service, (client) =>
    client.query(
      `INSERT INTO rooms (id, host_id, name, category, language, seat_count)
       SELECT r.id, r.host_id, 'Load test', 'music', 'en', 8 FROM unnest($1::uuid[], $2::uuid[]) AS r (id, host_id)`,
      [ids, hosts.map(({ id }) => id)],
    ),
  );
  return ids;
}

/** Changes a setting, as an administrator would, and waits until the service knows. */
export async function changeSetting(service: Service, key: string, value: number): Promise<void> {
  await onDatabase(service, async (client) => {
    await client.query(
      "INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value",
      [key, JSON.stringify(value)],
    );
    await client.query(`SELECT pg_notify('hubbub_signals', '{"name":"settings.changed","payload":{}}')`);
  });
  await pause(500);
}

/** Has the database finish what would disturb a measurement later. */
export const settleDatabase = (service: Service): Promise<unknown> =>
  onDatabase(service, async (client) => {
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
  });

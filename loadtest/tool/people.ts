import { readFile, writeFile } from "node:fs/promises";
import { createClient, memoryStorage } from "#shared/client/client.ts";
import { claimsOf } from "#shared/client/session.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { mapConcurrently } from "../game-tables.ts";

/** A user of a load test. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly accessToken: string;
  /** Without it, they can't take part for longer than their access token lives. */
  readonly refreshToken?: string | undefined;
}

/** Each registration hashes a password. */
const registeredAtOnce = 8;
const password = "load test password";

/** Registers people over the API. */
export async function registerPeople(url: string, count: number, onEach: () => void = () => {}): Promise<Person[]> {
  const run = Date.now().toString(36);
  const numbers = Array.from({ length: count }, (_, index) => index);
  return mapConcurrently(numbers, registeredAtOnce, async (number) => {
    const username = `load_${run}_${number}`;
    const client = createClient({ url, timeout: 30_000 });
    const { user, accessToken, refreshToken } = await client.request("registerAccount", {
      body: {
        full_name: `Load Test ${number}`,
        username,
        email: `${username}@example.com`,
        password,
        confirm_password: password,
        terms_accepted: true,
      },
    });
    onEach();
    return { id: user.id, name: username, accessToken, refreshToken };
  });
}

/** Writes people to a file, which only its owner can read. */
export async function savePeople(file: string, people: readonly Person[]): Promise<void> {
  await writeFile(file, `${people.map((person) => JSON.stringify(person)).join("\n")}\n`, { mode: 0o600 });
}

/**
 * Reads people from a file of `loadtest people`: a JSON object a line, with `refreshToken` or `accessToken`. Tokens are
 * renewed, and the file is written again, because a refresh token works once.
 * @throws OperatorError
 */
export async function loadPeople(file: string, url: string, count: number): Promise<Person[]> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new OperatorError(`The token file can't be read: ${error.message}`);
  });
  const all = text
    .split("\n")
    .filter(Boolean)
    .map((line, index) => parsed(line, `${file}:${index + 1}`));
  if (all.length < count)
    throw new OperatorError(`${file} has ${all.length} people, but the load test needs ${count}: see --clients.`);
  const renewed = await mapConcurrently(all.slice(0, count), registeredAtOnce, (person) => renew(person, url));
  await savePeople(file, [...renewed, ...all.slice(count)]);
  return renewed;
}

function parsed(line: string, place: string): Person {
  try {
    const { accessToken = "", refreshToken, name = place, id } = JSON.parse(line) as Partial<Person>;
    const user = id ?? claimsOf(accessToken).sub;
    if (user) return { id: user, name, accessToken, ...(refreshToken && { refreshToken }) };
  } catch {
    // Told below.
  }
  throw new OperatorError(`${place} isn't a person: {"accessToken": "…", "refreshToken": "…"}.`);
}

async function renew(person: Person, url: string): Promise<Person> {
  if (!person.refreshToken) return person;
  const tokens = await createClient({ url }).request("refreshTokens", { body: { refreshToken: person.refreshToken } });
  return { ...person, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken };
}

/** Returns the storage of a person's client. */
export function tokensOf({ accessToken, refreshToken }: Person) {
  const storage = memoryStorage();
  void storage.set({ accessToken, refreshToken });
  return storage;
}

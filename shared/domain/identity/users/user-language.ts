import { onSignal, onSignalsConnected } from "#shared/db/signals.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { User } from "./user.model.ts";

type Chosen = Promise<Language | null>;

/** The languages of users who have met an error lately: an error needs no query of its own each time. */
const chosen = new Map<string, Chosen>();
const keptMax = 10_000;

onSignal("user.language_changed", ({ user_id, language }) => remember(user_id, Promise.resolve(language)));
onSignalsConnected(async () => chosen.clear());

function remember(userId: string, language: Chosen): void {
  const [oldest] = chosen.size >= keptMax ? chosen.keys() : [];
  if (oldest !== undefined) chosen.delete(oldest);
  chosen.set(userId, language);
}

/** Returns the language that a user has chosen, or null. Reads memory if it can. */
export function chosenLanguage(userId: string): Chosen {
  const known = chosen.get(userId);
  if (known) return known;
  const read = User.read({ id: userId }, ["language"]).then((user) => user?.language ?? null);
  remember(userId, read);
  // Not remembered, so that the next call tries again.
  read.catch(() => chosen.get(userId) === read && chosen.delete(userId));
  return read;
}

/** Returns the language of an error: the one that the user has chosen, or that of their request. Never rejects. */
export async function languageForError(
  userId: string | undefined,
  asked: Language | undefined,
  { status }: { readonly status: number },
): Promise<Language> {
  // While the database is busy or down, an error must not wait for it, too.
  const mayRead = userId !== undefined && (status < 500 || chosen.has(userId));
  const own = mayRead ? await chosenLanguage(userId).catch(() => null) : null;
  return own ?? asked ?? "en";
}

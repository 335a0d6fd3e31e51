import { queryOne } from "#shared/db/query.ts";
import type { Where } from "./compile-rules.ts";
import { currentRules } from "./rules.ts";

/** Who writes a text, as rules see them. */
export type Author = Pick<Where, "userId" | "country">;

/** Returns the author of a text. Their country is read only while a rule asks for it. */
export async function authorOf(userId: string): Promise<Author> {
  if (!currentRules().askForCountry) return { userId };
  const user = await queryOne<{ country: string | null }>("SELECT country FROM users WHERE id = $1", [userId]);
  return { userId, country: user?.country ?? null };
}

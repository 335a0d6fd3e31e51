import type { PolicyKey } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import type { Language } from "#shared/kernel/languages.ts";

export interface PolicyText {
  readonly key: PolicyKey;
  readonly title: string;
  readonly body_markdown: string;
  readonly updated_at: string;
}

/** Returns the operator's own texts: each in this language, or else in English. Those not written are missing. */
export const ownPolicyTexts = (language: Language): Promise<PolicyText[]> =>
  query<PolicyText>(
    `SELECT DISTINCT ON (key) key, title, body_markdown, updated_at FROM policy_texts
     WHERE language IN ($1, 'en') ORDER BY key, language = $1 DESC`,
    [language],
  );

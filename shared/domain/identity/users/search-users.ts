import type { UserCard } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import type { PagedStatement } from "#shared/db/query-page.ts";
import { hiddenFrom } from "#shared/domain/identity/sessions/age-protections.ts";
import { type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";
import { pageOfCards, userCardJson } from "./user-cards.queries.ts";

export interface UserSearch extends PageQuery {
  /** Without it, people are suggested. */
  readonly q?: string | undefined;
}

/**
 * The most candidates of each way to find users, so that every search costs the same. To find one of thousands with the
 * same name, users must type more.
 */
const candidatesMax = 200;

/** `$1` is the query in search form. The bounds are those of a prefix: no character comes after U+10FFFF. */
const byPrefix = `
  (SELECT u.id FROM users u WHERE u.username ~>=~ $1 AND u.username ~<~ ($1 || chr(1114111))
   ORDER BY u.username USING ~<~ LIMIT ${candidatesMax})
  UNION
  (SELECT u.id FROM users u WHERE search_form(u.full_name) ~>=~ $1 AND search_form(u.full_name) ~<~ ($1 || chr(1114111))
   ORDER BY search_form(u.full_name) USING ~<~ LIMIT ${candidatesMax})`;

const bySimilarity = `
  UNION SELECT users_with_similar_names($1, ${candidatesMax})`;

/** The exact username comes first, then names that begin with the query, then the most similar ones. */
const statement = (found: string, likeness: string): PagedStatement => ({
  with: `found AS (
    SELECT u.id, row_number() OVER (
      ORDER BY u.username = $1 DESC,
        starts_with(u.username, $1) OR starts_with(search_form(u.full_name), $1) DESC, ${likeness} DESC, u.username
    ) AS place
    FROM users u
    WHERE u.id = ANY(ARRAY(${found})) AND u.status = 'active' AND NOT u.is_guest AND u.id <> $2
      AND u.id NOT IN (SELECT blocked_people($2)) AND NOT ${hiddenFrom("$2")}
  )`,
  count: "SELECT count(*) FROM found",
  rows: `SELECT ${userCardJson} AS card
    FROM (SELECT * FROM found ORDER BY place LIMIT $3 OFFSET $4) f JOIN users u ON u.id = f.id ORDER BY f.place`,
});

const prefixSearch = () => statement(byPrefix, "0");
const similaritySearch = () =>
  statement(
    byPrefix + bySimilarity,
    "greatest(similarity(u.username, $1), word_similarity($1, search_form(u.full_name)))",
  );
/** People followed by those whom the viewer follows, and the newest; the most followed come first. */
const suggestions = () =>
  statement(
    `SELECT id FROM (
     (SELECT theirs.followed_id AS id FROM user_follows own JOIN user_follows theirs ON theirs.follower_id = own.followed_id
      WHERE own.follower_id = $2 LIMIT ${candidatesMax})
     UNION (SELECT id FROM users WHERE status = 'active' AND NOT is_guest ORDER BY id DESC LIMIT ${candidatesMax})
   ) AS near WHERE NOT EXISTS (SELECT 1 FROM user_follows f WHERE f.follower_id = $2 AND f.followed_id = near.id)`,
    "coalesce((SELECT followers_count FROM user_counters WHERE user_id = u.id), 0)",
  );
/** Shorter queries are similar to too many names. */
const similarFrom = 3;

let similarityIndexFound: Promise<boolean> | undefined;

/** Returns whether the database has the index, which needs an extension. Asks once per process. */
function similarityIndexed(): Promise<boolean> {
  similarityIndexFound ??= queryOne<{ stands: boolean }>(
    "SELECT to_regclass('users_name_similar_idx') IS NOT NULL AS stands",
  ).then(
    (row) => row?.stands ?? false,
    (error: unknown) => {
      similarityIndexFound = undefined;
      throw error;
    },
  );
  return similarityIndexFound;
}

/**
 * Returns users whose username or full name begins with the query or is similar to it, the best match first; without a
 * query, people whom the viewer may like to follow. Ignores case, accents, width and a leading `@`. Leaves out the
 * viewer, guests, accounts that aren't active, users blocked by the viewer or blocking them, and minors whom the
 * settings hide from all but their friends.
 */
export async function searchUsers(
  viewerId: string,
  search: UserSearch,
  bySimilarNames: boolean | Promise<boolean> = similarityIndexed(),
): Promise<Page<UserCard>> {
  if (search.q === undefined) return pageOfCards(suggestions(), ["", viewerId], search);
  const normalized = await queryOne<{ form: string }>("SELECT search_form($1) AS form", [search.q.replace(/^@/, "")]);
  const form = normalized?.form ?? "";
  // Combining marks alone have an empty search form, which is a prefix of every name.
  const { length } = [...form];
  if (length === 0) return toPage([], 0, search);

  const isSimilaritySearch = length >= similarFrom && (await bySimilarNames);
  return pageOfCards(isSimilaritySearch ? similaritySearch() : prefixSearch(), [form, viewerId], search);
}

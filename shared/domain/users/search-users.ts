import type { UserCard } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import type { PagedStatement } from "#shared/db/query-page.ts";
import { type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";
import { pageOfCards, userCardJson } from "./user-cards.queries.ts";

export interface UserSearch extends PageQuery {
  readonly q: string;
}

/**
 * Each way of finding people looks at so many at the most, so that a search costs the same whatever is asked for. Who
 * looks for one of thousands that are called alike has to type more.
 */
const mostOfEachWay = 200;

/** `$1` is what was typed, in search form. The bounds are those of a prefix: no letter comes after U+10FFFF. */
const byPrefix = `
  (SELECT u.id FROM users u WHERE u.username ~>=~ $1 AND u.username ~<~ ($1 || chr(1114111))
   ORDER BY u.username USING ~<~ LIMIT ${mostOfEachWay})
  UNION
  (SELECT u.id FROM users u WHERE search_form(u.full_name) ~>=~ $1 AND search_form(u.full_name) ~<~ ($1 || chr(1114111))
   ORDER BY search_form(u.full_name) USING ~<~ LIMIT ${mostOfEachWay})`;

/**
 * Materialised: a limit that the planner sees would tempt it to read the table until enough has been found, and of a rare
 * name that is all of it. Of what makes no trigrams (signs; letters that the database's locale does not know) nothing is
 * similar, and to find that out the whole index would be read.
 */
const similar = `like_username AS MATERIALIZED (SELECT u.id FROM users u WHERE u.username % $1 AND show_trgm($1) <> '{}'),
    like_name AS MATERIALIZED (
      SELECT u.id FROM users u WHERE $1 <% search_form(u.full_name) AND show_trgm($1) <> '{}'
    )`;

const bySimilarity = `
  UNION (SELECT id FROM like_username LIMIT ${mostOfEachWay})
  UNION (SELECT id FROM like_name LIMIT ${mostOfEachWay})`;

/** The exact username comes first, then names that begin with the query, then the most similar ones. */
const statement = (found: string, likeness: string, before = ""): PagedStatement => ({
  with: `${before} found AS (
    SELECT u.id, row_number() OVER (
      ORDER BY u.username = $1 DESC,
        starts_with(u.username, $1) OR starts_with(search_form(u.full_name), $1) DESC, ${likeness} DESC, u.username
    ) AS place
    FROM users u
    WHERE u.id = ANY(ARRAY(${found})) AND u.status = 'active'
      AND u.id NOT IN (SELECT blocked_people($2))
  )`,
  count: "SELECT count(*) FROM found",
  rows: `SELECT ${userCardJson} AS card
    FROM (SELECT * FROM found ORDER BY place LIMIT $3 OFFSET $4) f JOIN users u ON u.id = f.id ORDER BY f.place`,
});

const prefixSearch = statement(byPrefix, "0");
const similaritySearch = statement(
  byPrefix + bySimilarity,
  "greatest(similarity(u.username, $1), word_similarity($1, search_form(u.full_name)))",
  `${similar},`,
);
/** Shorter texts are similar to too much. */
const similarFrom = 3;

let similarityStands: Promise<boolean> | undefined;

/** Has the migration found the extension? Asked once a process. */
function similarityIndexed(): Promise<boolean> {
  similarityStands ??= queryOne<{ stands: boolean }>(
    "SELECT to_regclass('users_name_similar_idx') IS NOT NULL AS stands",
  ).then(
    (row) => row?.stands ?? false,
    (error: unknown) => {
      similarityStands = undefined;
      throw error;
    },
  );
  return similarityStands;
}

/**
 * People whose username or full name begins with, or is similar to, what was typed; the best first. Case, accents and
 * width do not matter, and a leading `@` is left out. Not found: the suspended, and those with whom the viewer has
 * nothing to do.
 */
export async function searchUsers(
  viewerId: string,
  search: UserSearch,
  bySimilarNames: boolean | Promise<boolean> = similarityIndexed(),
): Promise<Page<UserCard>> {
  const typed = await queryOne<{ form: string }>("SELECT search_form($1) AS form", [search.q.replace(/^@/, "")]);
  const form = typed?.form ?? "";
  // Marks alone have an empty search form, with which every name begins.
  const { length } = [...form];
  if (length < 2) return toPage([], 0, search);
  const isSimilaritySearch = length >= similarFrom && (await bySimilarNames);
  return pageOfCards(isSimilaritySearch ? similaritySearch : prefixSearch, [form, viewerId], search);
}

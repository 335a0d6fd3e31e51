import { expect } from "chai";
import { queryOne } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { tableScansOf } from "#shared/testing/table-scans.ts";
import { listComments } from "./comments.queries.ts";
import { deleteComment } from "./delete-comment.ts";
import { deletePost } from "./delete-post.ts";
import { feedAfter, feedPage } from "./feed.queries.ts";
import { getPost, listUserPosts } from "./posts.queries.ts";

const tables = ["posts", "post_likes", "post_comments", "users", "user_blocks", "user_follows"];

/**
 * 100,000 posts of 20,000 people, every fifth for followers; a hundred thousand likes and comments; a viewer who
 * follows 200 people and has blocked 200. No constraint is checked: there is nothing to find.
 */
async function seed(tx: Tx, viewerId: string): Promise<string> {
  await tx.query(`CREATE TEMP TABLE crowd ON COMMIT DROP AS
    SELECT i, uuidv7() AS id FROM generate_series(0, 19999) i`);
  await tx.query(`INSERT INTO users (id, username, email, full_name, password_hash, settings)
    SELECT id, 'crowd' || i, 'crowd' || i || '@example.com', 'Crowd', 'x', '{}' FROM crowd`);
  await tx.query("CREATE UNIQUE INDEX ON crowd (i)");
  await tx.query("ANALYZE crowd");
  await tx.query(`INSERT INTO posts (id, author_id, content, visibility)
    SELECT uuidv7(), crowd.id, 'Post ' || n, CASE WHEN n % 5 = 0 THEN 'followers' ELSE 'public' END
    FROM generate_series(1, 100000) n JOIN crowd ON i = n * 7919 % 20000`);
  await tx.query("INSERT INTO user_follows SELECT $1, id FROM crowd WHERE i % 100 = 1", [viewerId]);
  await tx.query(
    "INSERT INTO user_follows SELECT a.id, b.id FROM crowd a JOIN crowd b ON b.i = (a.i * 31 + 7) % 20000",
  );
  await tx.query("INSERT INTO user_blocks SELECT $1, id FROM crowd WHERE i % 100 = 2", [viewerId]);
  await tx.query("INSERT INTO user_blocks SELECT a.id, b.id FROM crowd a JOIN crowd b ON b.i = (a.i * 37 + 5) % 20000");
  const post = await queryOne<{ id: string }>(
    `SELECT id FROM posts p WHERE visibility = 'public' AND NOT is_blocked_between($1, author_id)
     ORDER BY id DESC OFFSET 500 LIMIT 1`,
    [viewerId],
  );
  await tx.query(`INSERT INTO post_likes SELECT p.id, crowd.id FROM
    (SELECT id, row_number() OVER () AS n FROM posts) p JOIN crowd ON i = n * 104729 % 20000`);
  await tx.query("INSERT INTO post_comments SELECT uuidv7(), $1, id, 'Encore!' FROM crowd", [post!.id]);
  await tx.query(`INSERT INTO post_comments (id, post_id, author_id, content) SELECT uuidv7(), p.id, p.author_id, 'Mine'
    FROM posts p`);
  await tx.query(`ANALYZE ${tables.join(", ")}`);
  return post!.id;
}

/** Rows of posts that this transaction has fetched so far. */
const rowsFetched = async () =>
  (await queryOne<{ rows: number }>(
    "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'posts'",
  ))!.rows;

describe("the feed over 100,000 posts", () => {
  useDatabase();
  const inSeeded = useSeededTables(tables);

  it("scans no table", async function () {
    this.timeout(120_000);
    const viewer: BuiltUser = await buildUser();
    const scans: string[] = [];
    const fetched: Record<string, number> = {};
    await inSeeded(async (tx) => {
      const postId = await seed(tx, viewer.id);
      const [, middle] = (await feedPage(viewer.id, { page: 5, limit: 100 })).items;
      const reads: Record<string, () => Promise<unknown>> = {
        page: () => feedPage(viewer.id, { page: 1, limit: 20 }),
        "last page": () => feedPage(viewer.id, { page: 10, limit: 100, as_of: middle!.id }),
        cursor: () => feedAfter(viewer.id, { before: middle!.id, limit: 100 }),
        "posts of one person": () => listUserPosts(viewer.id, middle!.author.id, { limit: 100 }),
        post: () => getPost(viewer.id, postId),
        comments: () => listComments(viewer.id, postId, { limit: 50 }),
        "a comment that is not there": () => outcomeOf(deleteComment(callerOf(viewer), postId, newId())),
        "another user's post": () => outcomeOf(deletePost(callerOf(viewer), postId)),
      };
      for (const [name, read] of Object.entries(reads)) {
        const before = await rowsFetched();
        scans.push(...(await tableScansOf(tables, read)));
        fetched[name] = (await rowsFetched()) - before;
      }
    });
    expect(scans).to.deep.equal([]);
    expect(fetched.page).to.be.lessThan(4000);
    expect(fetched["last page"]).to.be.lessThan(4000);
    expect(fetched.cursor).to.be.lessThan(2000);
    for (const name of Object.keys(fetched).slice(3)) expect(fetched[name], name).to.be.lessThan(300);
  });
});

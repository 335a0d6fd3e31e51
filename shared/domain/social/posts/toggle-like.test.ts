import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { outsideTransaction } from "#shared/db/sequelize.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildPost, buildUser } from "#shared/testing/factories.ts";
import { block, callerOf, follow, outcomeOf } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { until } from "#shared/testing/until.ts";
import { deletePost } from "./delete-post.ts";
import { getPost } from "./posts.queries.ts";
import { toggleLike } from "./toggle-like.ts";

/** The counter, and what it counts. */
const counted = (postId: string) =>
  queryOne<{ counter: number; likes: number }>(
    `SELECT likes_count AS counter, (SELECT count(*) FROM post_likes WHERE post_id = posts.id) AS likes
     FROM posts WHERE id = $1`,
    [postId],
  );

const times = <T>(howMany: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: howMany }, (_, index) => work(index)));

describe("toggleLike", () => {
  useDatabase();
  const published = usePublishedEvents();

  it("likes and unlikes, and shows each viewer their own state", async () => {
    const [ada, grace, { id }] = await Promise.all([buildUser(), buildUser(), buildPost()]);
    expect(await toggleLike(callerOf(ada), id)).to.deep.equal({ liked: true, likes_count: 1 });
    expect(await toggleLike(callerOf(grace), id)).to.deep.equal({ liked: true, likes_count: 2 });
    expect(await getPost(ada.id, id)).to.include({ liked_by_me: true, likes_count: 2 });
    expect(await toggleLike(callerOf(ada), id)).to.deep.equal({ liked: false, likes_count: 1 });
    expect(await getPost(ada.id, id)).to.include({ liked_by_me: false, likes_count: 1 });
    expect(await getPost(grace.id, id)).to.include({ liked_by_me: true, likes_count: 1 });
  });

  it("counts fifty users at once", async () => {
    const [people, { id }] = await Promise.all([times(50, () => buildUser()), buildPost()]);
    const states = await Promise.all(people.map((person) => toggleLike(callerOf(person), id)));
    expect(states.every(({ liked }) => liked)).to.equal(true);
    const counts = states.map(({ likes_count }) => likes_count).sort((a, b) => a - b);
    expect(counts).to.deep.equal(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(await counted(id)).to.deep.equal({ counter: 50, likes: 50 });
  });

  it("runs fifty concurrent toggles of one user in turn: 25 likes, 25 unlikes", async () => {
    const [ada, { id }] = await Promise.all([buildUser(), buildPost()]);
    const states = await times(50, () => toggleLike(callerOf(ada), id));
    expect(states.filter(({ liked }) => liked)).to.have.length(25);
    for (const { liked, likes_count } of states) expect(likes_count).to.equal(liked ? 1 : 0);
    expect(await counted(id)).to.deep.equal({ counter: 0, likes: 0 });
  });

  it("is correct after fifty concurrent toggles of ten users, some an odd number of times", async () => {
    const [people, { id }] = await Promise.all([times(10, () => buildUser()), buildPost()]);
    await times(50, (index) => toggleLike(callerOf(people[index < 30 ? index % 3 : index % 10]!), id));
    // Three had ten of the first thirty; then each of the ten had two.
    expect(await counted(id)).to.deep.equal({ counter: 0, likes: 0 });
    await times(15, (index) => toggleLike(callerOf(people[index % 10]!), id));
    expect(await counted(id)).to.deep.equal({ counter: 5, likes: 5 });
  });

  it("is not found where the viewer can't see the post, and then changes nothing", async () => {
    const [author, stranger, blocked] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    await block(author, blocked);
    const open = await buildPost({ author });
    const close = await buildPost({ author, visibility: "followers" });
    expect(await outcomeOf(toggleLike(callerOf(stranger), close.id))).to.equal("NOT_FOUND");
    await follow(stranger, author);
    expect(await outcomeOf(toggleLike(callerOf(stranger), close.id))).to.equal("ok");
    for (const { id } of [open, close])
      expect(await outcomeOf(toggleLike(callerOf(blocked), id))).to.equal("NOT_FOUND");
    expect(await outcomeOf(toggleLike(callerOf(author), newId()))).to.equal("NOT_FOUND");
    await deletePost(callerOf(author), open.id);
    expect(await outcomeOf(toggleLike(callerOf(author), open.id))).to.equal("NOT_FOUND");
    expect(await counted(open.id)).to.deep.equal({ counter: 0, likes: 0 });
  });

  it("does not count for a post that is deleted while it waits", async () => {
    const [ada, { id, author }] = await Promise.all([buildUser(), buildPost()]);
    let waiting: Promise<string> | undefined;
    await inTransaction(async (tx) => {
      await tx.query("UPDATE posts SET status = 'removed', deleted_at = now() WHERE id = $1", [id]);
      waiting = outsideTransaction(() => outcomeOf(toggleLike(callerOf(ada), id)));
      await until("the toggle waits", async () => {
        const waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        return (await outsideTransaction(() => query(waits))).length > 0;
      });
    });
    expect(await waiting).to.equal("NOT_FOUND");
    expect(await counted(id)).to.deep.equal({ counter: 0, likes: 0 });
    expect(await outcomeOf(getPost(author.id, id))).to.equal("NOT_FOUND");
  });

  it("publishes a like, but not an unlike", async () => {
    const [ada, { id, author }] = await Promise.all([buildUser(), buildPost()]);
    await toggleLike(callerOf(ada), id);
    const once = [{ post_id: id, author_id: author.id, user_id: ada.id }];
    expect(await published.of("post.liked", { post_id: id })).to.deep.equal(once);
    await toggleLike(callerOf(ada), id);
    expect(await published.of("post.liked", { post_id: id })).to.deep.equal(once);
  });
});

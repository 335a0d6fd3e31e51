import { expect } from "chai";
import type { Post } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildPost, buildUser } from "#shared/testing/factories.ts";
import { block, callerOf, follow, outcomeOf, setStatus } from "#shared/testing/people.ts";
import { deletePost } from "./delete-post.ts";
import { feedAfter, feedDepth, feedPage } from "./feed.queries.ts";
import { getPost, listUserPosts } from "./posts.queries.ts";

const idsOf = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id);

/** Posts one after the other, answers their ids, the newest first. */
async function postSeveral(author: BuiltUser, howMany: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < howMany; i += 1) ids.unshift((await buildPost({ author, content: `Post ${i}` })).id);
  return ids;
}

/** Where a user can see a post: in the feed by page and by cursor, alone, and in its author's list. */
async function sees(viewer: BuiltUser, post: Post): Promise<string> {
  const surfaces = {
    page: idsOf(await feedPage(viewer.id, { page: 1, limit: 100 })).includes(post.id),
    cursor: idsOf(await feedAfter(viewer.id, { limit: 100 })).includes(post.id),
    alone: (await outcomeOf(getPost(viewer.id, post.id))) === "ok",
    author: await listUserPosts(viewer.id, post.author.id, { limit: 100 }).then(
      (list) => idsOf(list).includes(post.id),
      () => false,
    ),
  };
  const places = Object.entries(surfaces).flatMap(([name, seen]) => (seen ? [name] : []));
  if (places.length === 4) return "everywhere";
  return places.join(" ") || "nowhere";
}

describe("the feed", () => {
  useDatabase();

  it("shows public posts to everyone, and posts for followers to followers and their author", async () => {
    const [author, follower, followed, stranger] = await Promise.all([
      buildUser(),
      buildUser(),
      buildUser(),
      buildUser(),
    ]);
    await follow(follower, author);
    await follow(author, followed);
    const open = await buildPost({ author });
    const close = await buildPost({ author, visibility: "followers" });
    for (const viewer of [author, follower, followed, stranger])
      expect(await sees(viewer, open)).to.equal("everywhere");
    for (const viewer of [author, follower]) expect(await sees(viewer, close)).to.equal("everywhere");
    for (const viewer of [followed, stranger]) expect(await sees(viewer, close)).to.equal("nowhere");
    await query("DELETE FROM user_follows WHERE follower_id = $1", [follower.id]);
    expect(await sees(follower, close)).to.equal("nowhere");
  });

  it("shows neither side of a block the other's posts, regardless of follows", async () => {
    const [author, blocker, blocked, stranger] = await Promise.all([
      buildUser(),
      buildUser(),
      buildUser(),
      buildUser(),
    ]);
    for (const other of [blocker, blocked]) await follow(other, author);
    await block(blocker, author);
    await block(author, blocked);
    const posts = [await buildPost({ author }), await buildPost({ author, visibility: "followers" })];
    for (const post of posts) {
      expect(await sees(blocker, post)).to.equal("nowhere");
      expect(await sees(blocked, post)).to.equal("nowhere");
      expect(await sees(author, post)).to.equal("everywhere");
    }
    expect(await sees(stranger, posts[0]!)).to.equal("everywhere");
    expect(await outcomeOf(listUserPosts(blocked.id, author.id, { limit: 10 }))).to.equal("NOT_FOUND");
  });

  it("shows no hidden, removed or deleted posts", async () => {
    const [author, other] = await Promise.all([buildUser(), buildUser()]);
    for (const status of ["hidden", "removed"]) {
      const post = await buildPost({ author });
      await query("UPDATE posts SET status = $2 WHERE id = $1", [post.id, status]);
      for (const viewer of [author, other]) expect(await sees(viewer, post)).to.equal("nowhere");
      await query("UPDATE posts SET status = 'visible' WHERE id = $1", [post.id]);
      expect(await sees(other, post)).to.equal("everywhere");
    }
    const post = await buildPost({ author });
    await deletePost(callerOf(author), post.id);
    for (const viewer of [author, other]) expect(await sees(viewer, post)).to.equal("nowhere");
  });

  it("hides posts of authors who are suspended, deleted or about to be, and shows them when they return", async () => {
    const [author, viewer] = await Promise.all([buildUser(), buildUser()]);
    await follow(viewer, author);
    const posts = [await buildPost({ author }), await buildPost({ author, visibility: "followers" })];
    for (const [status, place] of [
      ["suspended", "nowhere"],
      ["deletion_pending", "nowhere"],
      ["deleted", "nowhere"],
      ["active", "everywhere"],
    ] as const) {
      await setStatus(author, status);
      for (const post of posts) expect(await sees(viewer, post), status).to.equal(place);
    }
  });

  it("merges posts of followed users with public ones by time, each once", async () => {
    const [friend, stranger, viewer] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    await follow(viewer, friend);
    const expected: string[] = [];
    for (const [author, visibility] of [
      [stranger, "public"],
      [friend, "followers"],
      [friend, "public"],
      [viewer, "followers"],
      [stranger, "public"],
      [friend, "followers"],
    ] as const)
      expected.unshift((await buildPost({ author, visibility })).id);
    expect(idsOf(await feedPage(viewer.id, { page: 1, limit: 6 }))).to.deep.equal(expected);
    expect(idsOf(await feedAfter(viewer.id, { limit: 6 }))).to.deep.equal(expected);
    const [first, second] = [1, 2].map((page) => feedPage(viewer.id, { page, limit: 3 }));
    expect([...idsOf(await first!), ...idsOf(await second!)]).to.deep.equal(expected);
  });

  it("keeps its place by cursor while others post and delete", async () => {
    const [author, viewer] = await Promise.all([buildUser(), buildUser()]);
    const ids = await postSeveral(author, 9);
    const seen: string[] = [];
    let before: string | undefined;
    for (let step = 0; step < 3; step += 1) {
      const list = await feedAfter(viewer.id, { limit: 3, ...(before && { before }) });
      seen.push(...idsOf(list));
      before = list.next_before!;
      await postSeveral(author, 2);
      if (step === 0) await deletePost(callerOf(author), ids[0]!);
    }
    expect(seen).to.deep.equal(ids);
  });

  it("keeps its pages with `as_of`, and shifts them without", async () => {
    const [author, viewer] = await Promise.all([buildUser(), buildUser()]);
    const ids = await postSeveral(author, 6);
    const first = await feedPage(viewer.id, { page: 1, limit: 2 });
    expect(idsOf(first)).to.deep.equal(ids.slice(0, 2));
    const newer = await postSeveral(author, 2);
    const as_of = first.as_of!;
    const second = await feedPage(viewer.id, { page: 2, limit: 2, as_of });
    expect(idsOf(second)).to.deep.equal(ids.slice(2, 4));
    expect(second.total).to.equal(first.total);
    const shifted = await feedPage(viewer.id, { page: 2, limit: 2 });
    expect([idsOf(shifted), shifted.as_of]).to.deep.equal([ids.slice(0, 2), newer[0]]);
    expect(idsOf(await feedPage(viewer.id, { page: 1, limit: 2 }))).to.deep.equal(newer);
  });

  it("has an end: by page with the total, by cursor with null", async () => {
    const [author, viewer] = await Promise.all([buildUser(), buildUser()]);
    const [newest] = await postSeveral(author, 3);
    const all = await feedPage(viewer.id, { page: 1, limit: 100, as_of: newest! });
    expect(all.total_pages).to.equal(Math.ceil(all.total / 100));
    const beyond = await feedPage(viewer.id, { page: 1_000_000, limit: 100 });
    expect(beyond).to.deep.include({ items: [], page: 1_000_000, total: all.total, as_of: newest });
    let pages = 0;
    for (let before: string | null = newId(); before; pages += 1) {
      const list = await feedAfter(viewer.id, { before, limit: 100 });
      expect(list.items.length).to.be.greaterThan(0);
      before = list.next_before;
    }
    expect(pages).to.equal(Math.ceil(all.total / 100));
    expect(await feedAfter(viewer.id, { before: "00000000-0000-0000-0000-000000000000", limit: 1 })).to.deep.equal({
      items: [],
      next_before: null,
    });
  });

  it("limits the number of pages, but not the cursor", async () => {
    const [author, viewer] = await Promise.all([buildUser(), buildUser()]);
    await query(
      `INSERT INTO posts (id, author_id, content) SELECT uuidv7(), $1, 'Flood' FROM generate_series(1, ${feedDepth + 5})`,
      [author.id],
    );
    const last = await feedPage(viewer.id, { page: feedDepth / 100, limit: 100 });
    expect(last).to.include({ total: feedDepth, total_pages: feedDepth / 100 });
    expect(last.items).to.have.length(100);
    const further = await feedAfter(viewer.id, { before: last.items.at(-1)!.id, limit: 5 });
    expect(further.items.map(({ author: { id } }) => id)).to.deep.equal(Array(5).fill(author.id));
    await query("DELETE FROM posts WHERE author_id = $1", [author.id]);
  });
});

describe("the posts of one person", () => {
  useDatabase();

  it("are listed by cursor, as far as the viewer can see them", async () => {
    const [author, follower, stranger] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    await follow(follower, author);
    const all: string[] = [];
    for (let i = 0; i < 6; i += 1)
      all.unshift((await buildPost({ author, visibility: i % 2 ? "followers" : "public" })).id);
    for (const viewer of [author, follower]) {
      const first = await listUserPosts(viewer.id, author.id, { limit: 4 });
      const rest = await listUserPosts(viewer.id, author.id, { before: first.next_before!, limit: 4 });
      expect([...idsOf(first), ...idsOf(rest)]).to.deep.equal(all);
      expect(rest.next_before).to.equal(null);
    }
    const open = all.filter((_, index) => index % 2 === 1);
    expect(idsOf(await listUserPosts(stranger.id, author.id, { limit: 4 }))).to.deep.equal(open);
    for (const nobody of [newId(), (await suspended()).id])
      expect(await outcomeOf(listUserPosts(stranger.id, nobody, { limit: 4 }))).to.equal("NOT_FOUND");
  });

  async function suspended(): Promise<BuiltUser> {
    const user = await buildUser();
    await setStatus(user, "suspended");
    return user;
  }
});

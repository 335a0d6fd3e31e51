import { expect } from "chai";
import { queryOne } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildPost, buildUser } from "#shared/testing/factories.ts";
import { block, callerOf, outcomeOf, setStatus } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { addComment } from "./add-comment.ts";
import { listComments } from "./comments.queries.ts";
import { deleteComment } from "./delete-comment.ts";
import { deletePost } from "./delete-post.ts";
import { getPost } from "./posts.queries.ts";

/** The counter, and what it counts. */
const counted = (postId: string) =>
  queryOne<{ counter: number; comments: number }>(
    `SELECT comments_count AS counter,
       (SELECT count(*) FROM post_comments WHERE post_id = posts.id AND deleted_at IS NULL) AS comments
     FROM posts WHERE id = $1`,
    [postId],
  );

describe("comments", () => {
  useDatabase();
  const published = usePublishedEvents();

  /** Creates a user's post and three others. */
  async function scene() {
    const [author, ada, grace, linus] = await Promise.all([buildUser(), buildUser(), buildUser(), buildUser()]);
    const { id } = await buildPost({ author });
    const say = (who: BuiltUser, content = "Encore!") => addComment(callerOf(who), id, content);
    const read = async (who: BuiltUser) =>
      (await listComments(who.id, id, { limit: 50 })).items.map((comment) => comment.content);
    return { id, author, ada, grace, linus, say, read };
  }

  it("are written, counted, listed newest first by cursor, and announced to the author", async () => {
    const { id, author, ada, grace, say } = await scene();
    const first = await say(ada, "One");
    const second = await say(grace, "Two");
    const third = await say(ada, "Three");
    expect(first).to.deep.include({ post_id: id, content: "One" });
    expect(first.author).to.include({ id: ada.id, username: ada.username });
    const page = await listComments(author.id, id, { limit: 2 });
    expect(page).to.deep.equal({ items: [third, second], next_before: second.id });
    const rest = await listComments(author.id, id, { before: page.next_before!, limit: 2 });
    expect(rest).to.deep.equal({ items: [first], next_before: null });
    expect(await getPost(ada.id, id)).to.include({ comments_count: 3 });
    expect(await published.of("post.commented", { comment_id: first.id })).to.deep.equal([
      { post_id: id, comment_id: first.id, author_id: author.id, user_id: ada.id },
    ]);
  });

  it("are counted correctly when fifty are written and twenty deleted at once", async () => {
    const { id, author, ada, say } = await scene();
    const old = await Promise.all(Array.from({ length: 20 }, () => say(ada)));
    const writing = Array.from({ length: 50 }, (_, index) => say(index % 2 ? ada : author));
    // Each deleted twice over, by its writer and by the author of the post.
    const deleting = old.flatMap((comment) =>
      [ada, author].map((who) => outcomeOf(deleteComment(callerOf(who), id, comment.id))),
    );
    const outcomes = await Promise.all(deleting);
    await Promise.all(writing);
    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(20);
    expect(outcomes.filter((outcome) => outcome === "NOT_FOUND")).to.have.length(20);
    expect(await counted(id)).to.deep.equal({ counter: 50, comments: 50 });
  });

  it("can be deleted only by their author and the author of the post", async () => {
    const { id, author, ada, grace, say, read } = await scene();
    const [mine, theirs] = [await say(ada, "Mine"), await say(ada, "Theirs")];
    const remove = (who: BuiltUser, commentId: string) => outcomeOf(deleteComment(callerOf(who), id, commentId));
    expect(await remove(grace, mine.id)).to.equal("FORBIDDEN");
    expect(await remove(ada, mine.id)).to.equal("ok");
    expect(await remove(ada, mine.id)).to.equal("NOT_FOUND");
    expect(await remove(author, theirs.id)).to.equal("ok");
    expect(await remove(author, newId())).to.equal("NOT_FOUND");
    expect(await read(author)).to.deep.equal([]);
    expect(await counted(id)).to.deep.equal({ counter: 0, comments: 0 });
    const elsewhere = await buildPost({ author: ada });
    const comment = await say(grace);
    expect(await outcomeOf(deleteComment(callerOf(grace), elsewhere.id, comment.id))).to.equal("NOT_FOUND");
  });

  it("of users who have blocked the viewer, or whom the viewer has blocked, are not listed", async () => {
    const { author, ada, grace, linus, say, read } = await scene();
    await say(ada, "Ada's");
    await say(grace, "Grace's");
    await block(ada, grace);
    expect(await read(ada)).to.deep.equal(["Ada's"]);
    expect(await read(grace)).to.deep.equal(["Grace's"]);
    for (const other of [author, linus]) expect(await read(other)).to.deep.equal(["Grace's", "Ada's"]);
  });

  it("are closed to users whom the author has blocked, except that they can delete their own", async () => {
    const { id, author, ada, grace, say, read } = await scene();
    const comment = await say(ada);
    const graces = await say(grace);
    await block(author, ada);
    expect(await outcomeOf(say(ada))).to.equal("NOT_FOUND");
    expect(await outcomeOf(read(ada))).to.equal("NOT_FOUND");
    expect(await read(author)).to.deep.equal(["Encore!"]);
    const remove = (commentId: string) => outcomeOf(deleteComment(callerOf(ada), id, commentId));
    expect(await remove(graces.id)).to.equal("NOT_FOUND");
    expect(await remove(comment.id)).to.equal("ok");
  });

  it("don't reveal a comment of a user who has blocked the viewer", async () => {
    const { id, ada, grace, say } = await scene();
    const comment = await say(ada);
    await block(ada, grace);
    expect(await outcomeOf(deleteComment(callerOf(grace), id, comment.id))).to.equal("NOT_FOUND");
  });

  it("disappear with the post, and with a suspended author", async () => {
    const { id, author, ada, grace, say, read } = await scene();
    const comment = await say(ada, "Ada's");
    await say(grace, "Grace's");
    await setStatus(ada, "suspended");
    expect(await read(author)).to.deep.equal(["Grace's"]);
    expect(await outcomeOf(deleteComment(callerOf(grace), id, comment.id))).to.equal("NOT_FOUND");
    await deletePost(callerOf(author), id);
    expect(await outcomeOf(read(grace))).to.equal("NOT_FOUND");
    expect(await outcomeOf(say(grace))).to.equal("NOT_FOUND");
    expect(await outcomeOf(deleteComment(callerOf(author), id, comment.id))).to.equal("ok");
  });
});

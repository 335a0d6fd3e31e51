import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildPost, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

describe("posts and comments, for administrators", () => {
  const service = useService();
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin(["posts.read", "posts.write"]);
  });

  const call = (method: string, path: string, body?: object) =>
    service.admin(method, path, { token: admin.token, ...(body && { body }) });
  const codeOf = async (...args: Parameters<typeof call>) => (await call(...args)).body.error?.code ?? "ok";
  const word = () => `w${newId().slice(-12)}`;

  /** A post by a user with a comment by another one, who has reported the post. */
  async function scene() {
    const [author, reader] = [await buildUser(), await buildUser()];
    const post = await buildPost({ author, content: `Tickets ${word()} here` });
    const comment = (
      await service.call("post", `/posts/${post.id}/comments`, {
        token: reader.token,
        body: { content: `So ${word()}` },
      })
    ).body.data;
    const body = { target_type: "post", target_id: post.id, reason: "Spam", details: "" };
    await service.call("post", "/reports", { token: reader.token, body });
    return { author, reader, post, comment };
  }

  /** What each of the two see of a post. */
  async function seenBy(token: string, authorId: string, postId: string) {
    const get = async (path: string) => (await service.call("get", path, { token })).body;
    const [own, feed, list, profile, comments] = await Promise.all(
      [
        `/posts/${postId}`,
        "/posts?limit=100",
        `/users/${authorId}/posts`,
        `/users/${authorId}`,
        `/posts/${postId}/comments`,
      ].map(get),
    );
    const has = (items: { id: string }[]) => items.some(({ id }) => id === postId);
    return [
      own.error?.code ?? "ok",
      has(feed.data.items),
      has(list.data.items),
      profile.data.posts_count,
      comments.error?.code ?? "ok",
    ];
  }
  const everywhere = ["ok", true, true, 1, "ok"];
  const nowhere = ["NOT_FOUND", false, false, 0, "NOT_FOUND"];

  it("are found by words, author, status, and open reports, and downloaded", async () => {
    const { author, post } = await scene();
    await buildPost({ author });
    const words = post.content.split(" ")[1]!;
    const ids = async (filter: string) =>
      (await call("get", `/posts?limit=100&${filter}`)).body.data.items.map(({ id }: { id: string }) => id);

    expect(await ids(`q=${words.toUpperCase()}`)).to.deep.equal([post.id]);
    expect(await ids(`q=${encodeURIComponent(`"tickets ${words}"`)}`)).to.deep.equal([post.id]);
    expect(await ids(`author_id=${author.id}&reported=true`)).to.deep.equal([post.id]);
    expect(await ids(`author_id=${author.id}`)).to.have.length(2);
    expect(await ids(`author_id=${author.id}&status=hidden`)).to.deep.equal([]);
    expect((await call("get", `/posts/${post.id}`)).body.data).to.include({ status: "visible", open_reports: 1 });
    const { body } = await call("get", `/posts?format=csv&author_id=${author.id}`);
    expect(String(body).trimEnd().split("\n")).to.have.length(3);
    expect(body).not.to.include("Tickets");
  });

  it("vanish from all lists and counts when a post is hidden, also for its author, until it is shown", async () => {
    const { author, reader, post } = await scene();
    const seen = () => Promise.all([author, reader].map(({ token }) => seenBy(token, author.id, post.id)));
    expect(await seen()).to.deep.equal([everywhere, everywhere]);

    const hidden = await call("post", `/posts/${post.id}/hide`, { reason: "Spam" });
    const seenHidden = await seen();
    await call("post", `/posts/${post.id}/show`, {});

    expect(hidden.body.data).to.include({ status: "hidden", status_reason: "Spam" });
    expect(seenHidden).to.deep.equal([nowhere, nowhere]);
    expect(await seen()).to.deep.equal([everywhere, everywhere]);
  });

  it("vanish from the list and the count when a comment is hidden, until it is shown", async () => {
    const { reader, author, post, comment } = await scene();
    const seen = async () => {
      const { token } = author;
      const list = await service.call("get", `/posts/${post.id}/comments`, { token });
      const counted = await service.call("get", `/posts/${post.id}`, { token });
      const [row] = await query<{ comments_count: number }>("SELECT comments_count FROM posts WHERE id = $1", [
        post.id,
      ]);
      return [list.body.data.items.length, counted.body.data.comments_count, row?.comments_count];
    };

    const hidden = await call("post", `/comments/${comment.id}/hide`, {});
    const seenHidden = await seen();
    const own = await service.call("delete", `/posts/${post.id}/comments/${comment.id}`, { token: reader.token });
    await call("post", `/comments/${comment.id}/show`, {});

    expect(hidden.body.data).to.include({ status: "hidden", post_id: post.id });
    expect(seenHidden).to.deep.equal([0, 0, 0]);
    expect(own.body.error.code).to.equal("NOT_FOUND");
    expect(await seen()).to.deep.equal([1, 1, 1]);
    expect((await call("get", `/comments?post_id=${post.id}`)).body.data.items[0]).to.include({ status: "visible" });
  });

  for (const type of ["post", "comment"] as const)
    it(`removes a ${type} for good, once, with the audit entry before and after`, async () => {
      const { id } = (await scene())[type];
      const twice = await Promise.all([1, 2].map(() => codeOf("post", `/${type}s/${id}/remove`, { reason: "Spam" })));

      expect(twice.toSorted()).to.deep.equal(["CONFLICT", "ok"]);
      for (const verb of ["show", "hide"])
        expect(await codeOf("post", `/${type}s/${id}/${verb}`, {})).to.equal("CONFLICT");
      expect(
        await query("SELECT action, before, after, reason FROM audit_log WHERE target_id = $1", [id]),
      ).to.deep.equal([
        { action: `${type}.remove`, before: { status: "visible" }, after: { status: "removed" }, reason: "Spam" },
      ]);
      expect(await codeOf("post", `/${type}s/${newId()}/hide`, {})).to.equal("NOT_FOUND");
      expect(await codeOf("post", `/${type}s/${id}/hide`, { reason: "" })).to.equal("VALIDATION_ERROR");
    });

  for (const type of ["post", "comment"] as const)
    it(`hides and removes several ${type}s, with a result for each`, async () => {
      const [first, second] = [(await scene())[type], (await scene())[type]];
      const lost = newId();
      await call("post", `/${type}s/${first.id}/remove`, {});
      const ids = [first.id, second.id, lost];

      const hidden = await call("post", `/${type}s/hide`, { ids, reason: "Spam" });
      const removed = await call("post", `/${type}s/remove`, { ids });

      const outcomes = ["CONFLICT", "done", "NOT_FOUND"].map((outcome, index) => ({ id: ids[index], outcome }));
      expect([hidden.body.data.results, removed.body.data.results]).to.deep.equal([outcomes, outcomes]);
      expect(await codeOf("post", `/${type}s/hide`, { ids: [] })).to.equal("VALIDATION_ERROR");
      expect(await codeOf("post", `/${type}s/hide`, { ids: Array.from({ length: 101 }, newId) })).to.equal(
        "VALIDATION_ERROR",
      );
    });
});

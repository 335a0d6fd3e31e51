import { expect } from "chai";
import type { PostVisibility } from "#shared/contracts/views.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildPost, buildUser } from "#shared/testing/factories.ts";
import { block, follow } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { useService } from "#shared/testing/service.ts";

const image = { url: "https://cdn.example.com/sunset.jpg?w=800#top", type: "image" };

describe("posts", () => {
  const service = useService();
  const published = usePublishedEvents();

  const publish = ({ token }: BuiltUser, body: unknown) => service.call("post", "/posts", { token, body });
  const ask = ({ token }: BuiltUser, method: string, path: string, body?: object) =>
    service.call(method, path, { token, ...(body && { body }) });
  const codeOf = async (...call: Parameters<typeof ask>) => {
    const { status, body } = await ask(...call);
    return body.success ? status : `${status} ${body.error.code}`;
  };
  const idsIn = (answer: Awaited<ReturnType<typeof ask>>): string[] =>
    answer.body.data.items.map(({ id }: { id: string }) => id);

  it("are created, read, announced to their author and counted in the profile", async () => {
    const [ada, grace] = await Promise.all([buildUser(), buildUser()]);
    const { status, body } = await publish(ada, { content: "  Caf\u0065\u0301 <b>&</b> 🎤  ", media: [image] });
    expect(status).to.equal(201);
    const { data } = body;
    expect(data).to.deep.include({
      content: "Café <b>&</b> 🎤",
      media: [image],
      visibility: "public",
      likes_count: 0,
      comments_count: 0,
      liked_by_me: false,
    });
    expect(data.author).to.deep.include({ id: ada.id, username: ada.username, vip: null, frame: null });
    expect((await ask(grace, "get", `/posts/${data.id}`)).body.data).to.deep.equal(data);
    expect((await ask(grace, "get", "/posts")).body.data.items[0]).to.deep.equal(data);
    await publish(ada, { content: "For you", visibility: "followers" });
    const created = await published.of("post.created", { author_id: ada.id });
    expect(created.map(({ visibility }) => visibility)).to.deep.equal(["public", "followers"]);
    // Grace doesn't follow Ada.
    const counts = async () =>
      Promise.all(
        [ask(grace, "get", `/users/${ada.id}`), ask(ada, "get", "/users/me")].map(
          async (asked) => (await asked).body.data.posts_count,
        ),
      );
    expect(await counts()).to.deep.equal([1, 2]);
    await ask(ada, "delete", `/posts/${data.id}`);
    expect(await counts()).to.deep.equal([0, 1]);
  });

  it("require content or media that is not empty", async () => {
    const ada = await buildUser();
    for (const body of [
      { content: "x" },
      { media: [image] },
      { content: "", media: [image] },
      { content: "x", media: [] },
    ])
      expect((await publish(ada, body)).status, JSON.stringify(body)).to.equal(201);
    for (const body of [
      {},
      { content: "" },
      { content: " \n " },
      { media: [] },
      { content: "", media: [] },
      { visibility: "public" },
      { content: null, media: [image] },
      { content: "x", media: null },
    ]) {
      const { status, body: answer } = await publish(ada, body);
      expect([status, answer.error?.code], JSON.stringify(body)).to.deep.equal([400, "VALIDATION_ERROR"]);
    }
    expect((await ask(ada, "get", "/users/me")).body.data.posts_count).to.equal(4);
  });

  it("accept only media addresses that clients can show, and at most ten", async () => {
    const ada = await buildUser();
    const item = (url: unknown, type: unknown = "image") => ({ url, type });
    for (const media of [
      item("javascript:alert(1)"),
      item("data:image/png;base64,AAAA"),
      item("file:///etc/passwd"),
      item("ftp://cdn.example.com/a.png"),
      item("//cdn.example.com/a.png"),
      item("https:a.png"),
      item("https://"),
      item("https://bank.example@evil.example/"),
      item("https://user:secret@evil.example/"),
      item("https://a b.example/"),
      item("https://cdn.example.com/\u0000.png"),
      item("https://cdn.example.com/\u202egnp.exe"),
      item(`https://cdn.example.com/${"a".repeat(2048)}`),
      item(""),
      item(7),
      item(image.url, "script"),
      item(image.url, "IMAGE"),
      item(image.url, null),
      { url: image.url },
      { type: "image" },
      { ...image, width: 800 },
      "https://cdn.example.com/a.png",
      [image],
    ]) {
      const { status, body } = await publish(ada, { content: "Look", media: [media] });
      expect([status, body.error?.code], JSON.stringify(media)).to.deep.equal([400, "VALIDATION_ERROR"]);
      expect(body.error.details[0].field).to.match(/^media\.0/);
    }
    const many = (count: number) => Array.from({ length: count }, () => image);
    expect((await publish(ada, { media: many(11) })).body.error.details[0].field).to.equal("media");
    expect((await publish(ada, { media: image })).status).to.equal(400);
    const types = ["image", "video", "audio"].map((type) => ({ url: "http://localhost:1/internal", type }));
    const { body } = await publish(ada, { media: [...types, ...many(7)] });
    expect(body.data.media).to.deep.equal([...types, ...many(7)]);
  });

  it("limit the length of texts, and reject what the database cannot store", async () => {
    const ada = await buildUser();
    expect((await publish(ada, { content: "😀".repeat(2500) })).status).to.equal(201);
    for (const content of ["x".repeat(5001), "a\u0000b", "\ud800", 5, ["x"], { $ne: "" }])
      expect((await publish(ada, { content })).status, JSON.stringify(content).slice(0, 20)).to.equal(400);
    for (const visibility of ["friends", "", null, 1])
      expect((await publish(ada, { content: "x", visibility })).status).to.equal(400);
    const { id } = await buildPost();
    expect(await codeOf(ada, "post", `/posts/${id}/comments`, { content: "x".repeat(1000) })).to.equal(201);
    for (const content of ["", "  ", "x".repeat(1001), "a\u0000b", "\udc00", 5, null])
      expect(await codeOf(ada, "post", `/posts/${id}/comments`, { content })).to.equal("400 VALIDATION_ERROR");
    expect((await ask(ada, "get", `/posts/${id}`)).body.data.comments_count).to.equal(1);
  });

  /** What each person gets from each operation on one post, in one line. */
  async function outcomes(visibility: PostVisibility) {
    const [author, follower, stranger, blocked, blocker] = await Promise.all(
      Array.from({ length: 5 }, () => buildUser()),
    );
    await follow(follower!, author!);
    await block(author!, blocked!);
    await block(blocker!, author!);
    const { id } = await buildPost({ author: author!, visibility });
    const comment = (await ask(author!, "post", `/posts/${id}/comments`, { content: "First" })).body.data;
    const lines: Record<string, string> = {};
    for (const [name, who] of Object.entries({ stranger, blocked, blocker, follower, author })) {
      const calls: Parameters<typeof ask>[] = [
        [who!, "get", `/posts/${id}`],
        [who!, "get", `/posts/${id}/comments`],
        [who!, "post", `/posts/${id}/comments`, { content: "Encore!" }],
        [who!, "post", `/posts/${id}/like`],
        [who!, "delete", `/posts/${id}/comments/${comment.id}`],
        [who!, "delete", `/posts/${id}`],
      ];
      const got: unknown[] = [];
      for (const call of calls) got.push(await codeOf(...call));
      lines[name] = got.join(", ");
    }
    return lines;
  }

  const nothing = Array(6).fill("404 NOT_FOUND").join(", ");
  const reader = "200, 200, 201, 200, 403 FORBIDDEN, 403 FORBIDDEN";
  const owner = "200, 200, 201, 200, 200, 200";

  it("can be public: who may do what", async () => {
    const expected = { stranger: reader, blocked: nothing, blocker: nothing, follower: reader, author: owner };
    expect(await outcomes("public")).to.deep.equal(expected);
  });

  it("can be for followers: who may do what", async () => {
    const expected = { stranger: nothing, blocked: nothing, blocker: nothing, follower: reader, author: owner };
    expect(await outcomes("followers")).to.deep.equal(expected);
  });

  it("don't exist under an unknown id, nor after deletion", async () => {
    const ada = await buildUser();
    const post = await buildPost({ author: ada });
    expect(await codeOf(ada, "delete", `/posts/${post.id}`)).to.equal(200);
    for (const id of [post.id, newId()]) {
      for (const [method, path, body] of [
        ["get", `/posts/${id}`],
        ["delete", `/posts/${id}`],
        ["post", `/posts/${id}/like`],
        ["get", `/posts/${id}/comments`],
        ["post", `/posts/${id}/comments`, { content: "x" }],
        ["delete", `/posts/${id}/comments/${newId()}`],
      ] as const)
        expect(await codeOf(ada, method, path, body), `${method} ${path}`).to.equal("404 NOT_FOUND");
    }
    expect(await codeOf(ada, "get", `/users/${newId()}/posts`)).to.equal("404 NOT_FOUND");
  });

  it("are listed by page, or by cursor on request; both keep their place", async () => {
    const [author, viewer] = await Promise.all([buildUser(), buildUser()]);
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.unshift((await buildPost({ author })).id);
    const feed = (search: string) => ask(viewer, "get", `/posts${search}`);
    const first = await feed("?page=1&limit=2");
    expect(first.body.data).to.include({ page: 1, limit: 2 }).and.to.include.keys("total", "total_pages");
    expect(idsIn(first)).to.deep.equal(ids.slice(0, 2));
    const byCursor = await feed("?cursor=1&limit=2");
    expect(byCursor.body.data).to.have.all.keys("items", "next_before");
    expect(byCursor.body.data.next_before).to.equal(ids[1]);
    await buildPost({ author });
    expect(first.body.data.as_of).to.equal(ids[0]);
    const second = await feed(`?page=2&limit=2&as_of=${first.body.data.as_of}`);
    expect([idsIn(second), second.body.data.as_of]).to.deep.equal([ids.slice(2, 4), ids[0]]);
    expect(idsIn(await feed(`?before=${ids[1]}&limit=3&page=7`))).to.deep.equal(ids.slice(2));
    expect((await feed("")).body.data).to.include({ page: 1, limit: 20 });
    for (const search of [
      "?page=0",
      "?page=x",
      "?limit=101",
      "?before=7",
      "?as_of=x",
      "?cursor=maybe",
      "?page=1&page=2",
    ])
      expect((await feed(search)).status, search).to.equal(400);
    expect(idsIn(await ask(viewer, "get", `/users/${author.id}/posts?limit=1&before=${ids[3]}`))).to.deep.equal([
      ids[4],
    ]);
  });

  it("are liked and commented on by fifty users at once, with correct responses", async () => {
    const [people, post] = await Promise.all([Promise.all(Array.from({ length: 25 }, () => buildUser())), buildPost()]);
    const answers = await Promise.all([
      ...people.map((person) => ask(person, "post", `/posts/${post.id}/like`)),
      ...people.map((person) => ask(person, "post", `/posts/${post.id}/comments`, { content: "Encore!" })),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([...Array(25).fill(200), ...Array(25).fill(201)]);
    const { data } = (await ask(people[0]!, "get", `/posts/${post.id}`)).body;
    expect(data).to.include({ likes_count: 25, comments_count: 25, liked_by_me: true });
    const comments = await ask(people[0]!, "get", `/posts/${post.id}/comments?limit=20`);
    expect(comments.body.data.items).to.have.length(20);
    const rest = await ask(people[0]!, "get", `/posts/${post.id}/comments?before=${comments.body.data.next_before}`);
    expect(rest.body.data).to.have.property("next_before", null);
    expect(new Set([...idsIn(comments), ...idsIn(rest)]).size).to.equal(25);
  });
});

import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { eraseUser } from "#shared/domain/operations/deletion/erase-user.ts";
import { newId } from "#shared/kernel/ids.ts";
import { accessMatrix } from "#shared/testing/access/access-matrix.ts";
import { callRoute, operationName, operationOf } from "#shared/testing/access/describe-access.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { tablesWith } from "#shared/testing/canaries.ts";
import { closeClients, connectSocket, joinNative } from "#shared/testing/clients/clients.ts";
import { Scene } from "#shared/testing/scene.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { adminRoutes } from "./admin/routes.ts";
import type { Route } from "./http/route.ts";
import { apiRoutes } from "./routes.ts";

/** The people of a scene who read. */
type Reader = "owner" | "member" | "stranger";

/** Something that a user wrote, and what deletes or hides it. */
interface Deletable {
  /** Writes the text, and returns what deletes or hides it. */
  readonly write: (scene: Scene, text: string) => Promise<() => Promise<unknown>>;
  /** Tables that keep it, for reports about it. */
  readonly kept: readonly string[];
}

const marker = () => `zq${newId().replaceAll("-", "").slice(-12)}`;

describe("what was deleted", () => {
  const service = useService();
  const routes: readonly Route[] = apiRoutes({ actors: noEngine });
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin();
  });
  afterEach(closeClients);

  const call = async ({ token }: { token: string }, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token, ...(body && { body }) });
    expect(answer.body.success, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.equal(true);
    return answer.body.data;
  };
  const moderate = async (path: string, body: object = {}) => {
    const answer = await service.admin("post", path, { token: admin.token, body });
    expect(answer.body.success, `${path}: ${JSON.stringify(answer.body)}`).to.equal(true);
    return answer.body.data;
  };
  /** Reports something, and lets an administrator remove it. */
  const removeReported = async (reporter: { token: string }, target_type: string, target_id: string) => {
    const { id } = await call(reporter, "post", "/reports", { target_type, target_id, reason: "Spam" });
    const { effects } = await moderate(`/reports/${id}/resolve`, { resolution: "resolved", action: "remove" });
    expect(effects).to.have.length(1);
  };
  const writePost = async ({ owner }: Scene, content: string): Promise<string> => {
    const media = [{ url: addressOf(content), type: "image" }];
    return (await call(owner, "post", "/posts", { content, media })).id;
  };
  const writeComment = async (scene: Scene, content: string): Promise<{ id: string; path: string }> => {
    const path = `/posts/${await scene.openPost()}/comments`;
    const { id } = await call(scene.member, "post", path, { content });
    return { id, path: `${path}/${id}` };
  };
  const say = async (scene: Scene, body: string): Promise<{ id: string; path: string }> => {
    const room_id = await scene.room();
    const { ask } = await connectSocket(service.url, scene.member.token);
    const { id } = (await ask("room:message", { room_id, body })).data;
    return { id, path: `/rooms/${room_id}/messages/${id}` };
  };
  const profile =
    (field: string, after: unknown, textOf = (text: string) => text) =>
    async ({ owner }: Scene, text: string) => {
      await call(owner, "patch", "/users/me", { [field]: textOf(text) });
      return () => call(owner, "patch", "/users/me", { [field]: after });
    };
  const addressOf = (text: string) => `https://cdn.example.com/${text}.png`;

  const deletables: Readonly<Record<string, Deletable>> = {
    "a post": {
      write: async (scene, text) => {
        const id = await writePost(scene, text);
        return () => call(scene.owner, "delete", `/posts/${id}`);
      },
      kept: ["public.posts"],
    },
    "a post, hidden by an administrator": {
      write: async (scene, text) => {
        const id = await writePost(scene, text);
        return () => moderate(`/posts/${id}/hide`);
      },
      kept: ["public.posts", "public.removals"],
    },
    "a post, removed because of a report": {
      write: async (scene, text) => {
        const id = await writePost(scene, text);
        return () => removeReported(scene.member, "post", id);
      },
      kept: ["public.posts", "public.reports", "public.removals"],
    },
    "a comment": {
      write: async (scene, text) => {
        const { path } = await writeComment(scene, text);
        return () => call(scene.member, "delete", path);
      },
      kept: ["public.post_comments"],
    },
    "a comment, deleted by the post's author": {
      write: async (scene, text) => {
        const { path } = await writeComment(scene, text);
        return () => call(scene.owner, "delete", path);
      },
      kept: ["public.post_comments"],
    },
    "a comment, removed by an administrator": {
      write: async (scene, text) => {
        const { id } = await writeComment(scene, text);
        return () => moderate(`/comments/${id}/remove`);
      },
      kept: ["public.post_comments", "public.removals"],
    },
    "a message in a room": {
      write: async (scene, text) => {
        const { path } = await say(scene, text);
        return () => call(scene.member, "delete", path);
      },
      kept: ["public.room_messages"],
    },
    "a message in a room, removed because of a report": {
      write: async (scene, text) => {
        const { id } = await say(scene, text);
        return () => removeReported(scene.owner, "message", id);
      },
      kept: ["public.room_messages", "public.reports", "public.removals"],
    },
    "a direct message, removed because of a report": {
      write: async (scene, body) => {
        const path = `/conversations/${await scene.conversation()}/messages`;
        const { id } = await call(scene.member, "post", path, { body, attachment_url: addressOf(body) });
        return () => removeReported(scene.owner, "message", id);
      },
      kept: ["public.reports", "public.removals"],
    },
    "a room's name": {
      write: async (scene, name) => {
        const path = `/rooms/${await scene.room()}`;
        await call(scene.owner, "patch", path, { name });
        return () => call(scene.owner, "patch", path, { name: "Night owls" });
      },
      kept: [],
    },
    "a name": { write: profile("full_name", "Ada"), kept: [] },
    "a biography": { write: profile("bio", ""), kept: [] },
    "a picture": { write: profile("avatar_url", null, addressOf), kept: [] },
  };

  /**
   * Returns for each text what shows it to some reader: all GET operations, what a room repeats, and the state of
   * native clients.
   */
  async function placesOf(
    texts: readonly string[],
    scene: Scene,
    readers: readonly Reader[] = ["owner", "member", "stranger"],
  ): Promise<string[][]> {
    const answers: { readonly place: string; readonly answer: string }[] = [];
    const read = (place: string, answer: unknown) => answers.push({ place, answer: JSON.stringify(answer) });
    for (const [key, { at }] of Object.entries(accessMatrix)) {
      const route = routes.find((candidate) => operationName(candidate) === operationOf(key))!;
      if (route.method !== "get") continue;
      for (const reader of readers) {
        const place = (await at?.(scene, reader)) ?? {};
        read(`${key} as ${reader}`, (await callRoute(service.call, route, place, scene[reader].token)).body);
      }
    }
    const room_id = await scene.room();
    for (const reader of readers.filter((each) => each !== "stranger")) {
      const { ask } = await connectSocket(service.url, scene[reader].token);
      read(`room:sync as ${reader}`, await ask("room:sync", { room_id, since_seq: 0 }));
      read(`room:join as ${reader}`, await ask("room:join", { room_id }));
    }
    const { room } = await joinNative(service.url, scene.owner.token, { room_id });
    read("the native state", room.state.toJSON());
    return texts.map((text) => answers.flatMap(({ place, answer }) => (answer.includes(text) ? [place] : [])));
  }

  it("is shown nowhere, and kept only where reports need it", async () => {
    const scene = await Scene.build(service);
    const written: { name: string; text: string; kept: readonly string[]; remove: () => Promise<unknown> }[] = [];
    for (const [name, { write, kept }] of Object.entries(deletables)) {
      const text = marker();
      written.push({ name, text, kept, remove: await write(scene, text) });
    }
    const shown = async () => {
      const places = await placesOf(
        written.map(({ text }) => text),
        scene,
      );
      // Authors see what was removed of them, to appeal.
      const others = places.map((of) => of.filter((place) => !place.startsWith("get /users/me/removals")));
      return written.flatMap(({ name }, index) => (others[index]!.length > 0 ? [`${name}: ${others[index]}`] : []));
    };
    expect(await shown(), "before the deletion").to.have.length(written.length);

    for (const { remove } of written) await remove();

    expect(await shown()).to.deep.equal([]);
    // What is on its way to clients and phones is deleted with its delivery.
    for (const { name, text, kept } of written)
      await until(`no other table has ${name}`, async () => {
        const left = (await tablesWith([text])).filter((table) => !kept.includes(table));
        return left.length === 0;
      });
  }).timeout(60_000);

  it("is shown nowhere if it was written by a user whose account was erased", async () => {
    const scene = await Scene.build(service);
    const { member } = scene;
    const text = marker();
    await call(member, "patch", "/users/me", { full_name: text, bio: text, avatar_url: addressOf(text) });
    await scene.furnish();
    await scene.endedGame();
    for (const name of ["a comment", "a message in a room", "a direct message, removed because of a report"])
      await deletables[name]!.write(scene, text);
    expect((await placesOf([text], scene, ["owner"])).flat(), "before the deletion").not.to.deep.equal([]);

    await call(member, "post", "/account/delete-request");
    await query("UPDATE users SET deletion_due_at = now() - interval '1 minute' WHERE id = $1", [member.id]);
    await eraseUser(member.id, service.actors);

    expect((await placesOf([text], scene, ["owner", "stranger"])).flat()).to.deep.equal([]);
    const shown: string[] = [];
    for (const { method, path, params, csv } of adminRoutes({ actors: noEngine }))
      for (const search of method === "get" && !params ? ["limit=100", ...(csv ? ["format=csv"] : [])] : []) {
        const { body } = await service.admin("get", `${path}?${search}`, { token: admin.token });
        if (JSON.stringify(body).includes(text)) shown.push(`${path}?${search}`);
      }
    expect(shown).to.deep.equal([]);
  }).timeout(60_000);
});

import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { accessMatrix } from "#shared/testing/access/access-matrix.ts";
import { callRoute, operationName, operationOf } from "#shared/testing/access/describe-access.ts";
import { tablesWith } from "#shared/testing/canaries.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { Scene } from "#shared/testing/scene.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import type { Route } from "./http/route.ts";
import { apiRoutes } from "./routes.ts";

/** The people of a scene who read. */
const readers = ["owner", "member", "stranger"] as const;

/** Something that a user wrote, and what deletes it. */
interface Deletable {
  /** Writes the text, and returns what deletes it. */
  readonly write: (scene: Scene, text: string) => Promise<() => Promise<unknown>>;
  /** Tables that keep it, for reports about it. */
  readonly kept: readonly string[];
}

describe("what its author has deleted", () => {
  const service = useService();
  const routes: readonly Route[] = apiRoutes({ actors: noEngine });
  afterEach(closeClients);

  const call = async ({ token }: { token: string }, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token, ...(body && { body }) });
    expect(answer.body.success, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.equal(true);
    return answer.body.data;
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
      write: async ({ owner }, content) => {
        const media = [{ url: addressOf(content), type: "image" }];
        const { id } = await call(owner, "post", "/posts", { content, media });
        return () => call(owner, "delete", `/posts/${id}`);
      },
      kept: ["public.posts"],
    },
    "a comment": {
      write: async (scene, content) => {
        const path = `/posts/${await scene.openPost()}/comments`;
        const { id } = await call(scene.member, "post", path, { content });
        return () => call(scene.member, "delete", `${path}/${id}`);
      },
      kept: ["public.post_comments"],
    },
    "a comment, deleted by the post's author": {
      write: async (scene, content) => {
        const path = `/posts/${await scene.openPost()}/comments`;
        const { id } = await call(scene.member, "post", path, { content });
        return () => call(scene.owner, "delete", `${path}/${id}`);
      },
      kept: ["public.post_comments"],
    },
    "a message in a room": {
      write: async (scene, body) => {
        const room_id = await scene.room();
        const { ask } = await connectSocket(service.url, scene.member.token);
        const { data } = await ask("room:message", { room_id, body });
        return () => call(scene.member, "delete", `/rooms/${room_id}/messages/${data.id}`);
      },
      kept: ["public.room_messages"],
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

  /** Returns what shows the text to some reader: all GET operations, and what a room repeats. */
  async function placesOf(text: string, scene: Scene): Promise<string[]> {
    const shown: string[] = [];
    for (const [key, { at }] of Object.entries(accessMatrix)) {
      const route = routes.find((candidate) => operationName(candidate) === operationOf(key))!;
      if (route.method !== "get") continue;
      for (const reader of readers) {
        const place = (await at?.(scene, reader)) ?? {};
        const answer = await callRoute(service.call, route, place, scene[reader].token);
        if (JSON.stringify(answer.body).includes(text)) shown.push(`${key} as ${reader}`);
      }
    }
    for (const reader of ["owner", "member"] as const) {
      const { ask } = await connectSocket(service.url, scene[reader].token);
      const room_id = await scene.room();
      const missed = await ask("room:sync", { room_id, since_seq: 0 });
      const joined = await ask("room:join", { room_id });
      if (JSON.stringify([missed, joined]).includes(text)) shown.push(`room:sync as ${reader}`);
    }
    return shown;
  }

  for (const [name, { write, kept }] of Object.entries(deletables))
    it(`is shown nowhere: ${name}`, async () => {
      const scene = await Scene.build(service);
      const text = `zq${newId().replaceAll("-", "").slice(-12)}`;
      const remove = await write(scene, text);
      expect(await placesOf(text, scene), "before the deletion").not.to.deep.equal([]);

      await remove();

      expect(await placesOf(text, scene)).to.deep.equal([]);
      // What is on its way to clients and phones is deleted with its delivery.
      await until("no other table has it", async () => {
        const left = (await tablesWith([text])).filter((table) => !kept.includes(table));
        return left.length === 0;
      });
    }).timeout(60_000);
});

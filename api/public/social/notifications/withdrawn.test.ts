import { expect } from "chai";
import type { NotificationType } from "#shared/contracts/views.ts";
import { withdrawnBy } from "#shared/domain/social/notifications/notification-events.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { buildAgency, buildInvitation } from "#shared/testing/agencies.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildPost, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

/** An act of one user that notifies another, and how it is taken back. */
interface Act {
  /** Returns what takes it back. */
  readonly act: (actor: BuiltUser, receiver: BuiltUser, postId: string) => Promise<() => Promise<unknown>>;
  /** Whether acts of several users are one notification. */
  readonly grouped: boolean;
}

describe("withdrawn notifications", () => {
  const service = useService();
  afterEach(closeClients);
  let ada: BuiltUser;
  let bob: BuiltUser;
  let cid: BuiltUser;
  let socket: SocketClient;
  let postId: string;

  beforeEach(async () => {
    [ada, bob, cid] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    socket = await connectSocket(service.url, ada.token);
    postId = (await buildPost({ author: ada })).id;
  });

  const call = async (user: BuiltUser, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token: user.token, ...(body && { body }) });
    expect(answer.body.success, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.equal(true);
    return answer.body.data;
  };
  const listed = async (search = "") => (await call(ada, "get", `/notifications${search}`)).items;
  const unread = async () => (await call(ada, "get", "/notifications/unread-count")).unread_count;

  const acts: { readonly [T in NotificationType]?: Act } = {
    follow: {
      act: async (actor, receiver) => {
        await call(actor, "post", `/users/${receiver.id}/follow`);
        return () => call(actor, "delete", `/users/${receiver.id}/follow`);
      },
      grouped: true,
    },
    friend_request: {
      act: async (actor, receiver) => {
        const { id } = await call(actor, "post", `/friends/${receiver.id}/request`);
        return () => call(actor, "delete", `/friends/requests/${id}`);
      },
      grouped: false,
    },
    agency_invited: {
      act: async (actor, receiver) => {
        const id = await buildInvitation(await buildAgency({}, actor), receiver);
        return () => call(actor, "post", `/agencies/invitations/${id}/withdraw`);
      },
      grouped: false,
    },
    post_like: {
      act: async (actor, _receiver, post) => {
        const toggle = () => call(actor, "post", `/posts/${post}/like`);
        await toggle();
        return toggle;
      },
      grouped: true,
    },
    post_comment: {
      act: async (actor, _receiver, post) => {
        const { id } = await call(actor, "post", `/posts/${post}/comments`, { content: "Encore!" });
        return () => call(actor, "delete", `/posts/${post}/comments/${id}`);
      },
      grouped: true,
    },
  };

  it("has an act for each type that can be withdrawn", () => {
    const withdrawable = Object.entries(withdrawnBy).flatMap(([type, by]) => (by ? [type] : []));
    expect(Object.keys(acts)).to.have.members(withdrawable);
  });

  const asAdmin = async (path: string, body: object = {}) => {
    const { status } = await service.admin("post", path, { token: (await buildAdmin()).token, body });
    expect(status).to.equal(200);
  };
  /** What ends the display of a post. */
  const endings: Record<string, () => Promise<unknown>> = {
    "its author deletes it": () => call(ada, "delete", `/posts/${postId}`),
    "an administrator hides it": () => asAdmin(`/posts/${postId}/hide`),
    "an administrator removes it": () => asAdmin(`/posts/${postId}/remove`),
    "it is removed because of a report": async () => {
      const { id } = await call(bob, "post", "/reports", { target_type: "post", target_id: postId, reason: "Spam" });
      await asAdmin(`/reports/${id}/resolve`, { resolution: "resolved", action: "remove" });
    },
  };

  for (const [ending, end] of Object.entries(endings))
    it(`of a post: what its author was told about it is gone when ${ending}`, async () => {
      const { id: kept } = await buildPost({ author: ada });
      for (const post of [kept, postId]) await call(bob, "post", `/posts/${post}/like`);
      for (const user of [bob, cid]) await call(user, "post", `/posts/${postId}/comments`, { content: "Encore!" });
      await until("all are told", async () => (await unread()) === 3);

      await end();

      await until("two are withdrawn", async () => socket.inbox.of("notification:withdrawn").length === 2);
      const about = (await listed()).map(({ data }: { data: { post_id?: string } }) => data.post_id);
      // The author is told of the removal, too.
      expect(about.filter(Boolean)).to.deep.equal([kept]);
    });

  for (const [type, { act, grouped }] of Object.entries(acts)) {
    it(`${type}: takes it away, and tells the unread count`, async () => {
      const undo = await act(bob, ada, postId);
      const { notification } = await socket.inbox.next("notification:new");
      expect([notification.type, await unread()]).to.deep.equal([type, 1]);

      await undo();
      const gone = await socket.inbox.next("notification:withdrawn");
      expect(gone).to.deep.equal({ notification_id: notification.id, unread_count: 0 });
      expect([await listed(), await unread()]).to.deep.equal([[], 0]);
    });

    it(`${type}: takes away a read one too`, async () => {
      const undo = await act(bob, ada, postId);
      const { notification } = await socket.inbox.next("notification:new");
      await call(ada, "patch", `/notifications/${notification.id}/read`);
      await undo();
      await socket.inbox.next("notification:withdrawn");
      expect(await listed()).to.deep.equal([]);
    });

    if (grouped)
      it(`${type}: leaves what others did, as the latest of them shows it`, async () => {
        await act(bob, ada, postId);
        await socket.inbox.next("notification:new");
        const undo = await act(cid, ada, postId);
        const { notification } = await socket.inbox.next(
          "notification:new",
          ({ notification: { data } }) => data.count === 2,
        );
        expect(notification.data.user.id).to.equal(cid.id);

        await undo();
        await until("one event is left", async () => (await listed())[0].data.count === 1);
        const [left] = await listed("?unread=true");
        expect([left.id, left.data.user.id]).to.deep.equal([notification.id, bob.id]);
        expect(await unread()).to.equal(1);
      });
  }

  it("follow and friend request: a block takes them away for good", async () => {
    for (const type of ["follow", "friend_request"] as const) {
      await acts[type]!.act(bob, ada, postId);
      await socket.inbox.next("notification:new", ({ notification }) => notification.type === type);
    }
    await call(ada, "post", `/users/${bob.id}/block`);
    await until("both are withdrawn", () => socket.inbox.of("notification:withdrawn").length === 2);
    await call(ada, "delete", `/users/${bob.id}/block`);
    expect(await listed()).to.deep.equal([]);
  });

  it("like: comes back neither by another like nor by a late delivery", async () => {
    const toggle = await acts.post_like!.act(bob, ada, postId);
    await socket.inbox.next("notification:new");
    await toggle();
    await socket.inbox.next("notification:withdrawn");
    await toggle();
    // What is recorded for the same user is recorded in order.
    await acts.follow!.act(cid, ada, postId);
    await socket.inbox.next("notification:new", ({ notification }) => notification.type === "follow");
    expect((await listed()).map((one: { type: string }) => one.type)).to.deep.equal(["follow"]);
  });
});

import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { connectionOpened } from "#shared/domain/identity/presence/presence.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { buildAgency, buildInvitation } from "#shared/testing/agencies.ts";
import { buildSplitPlan, buyCoins } from "#shared/testing/earnings.ts";
import { type BuiltUser, buildGift, buildUser } from "#shared/testing/factories.ts";
import { buildPayout, sellAndReverse } from "#shared/testing/payouts.ts";
import { callerOf } from "#shared/testing/people.ts";
import { payLine } from "#shared/testing/runs.ts";
import { Scene } from "#shared/testing/scene.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { buildSentDelivery } from "#shared/testing/webhooks.ts";
import { describe as describeSchema } from "./docs/json-schema.ts";
import { apiRoutes } from "./routes.ts";

interface List {
  readonly path: string;
  readonly reader: "owner" | "member";
}

/** Lets the member earn by a gift of someone who has bought coins only. */
async function earn({ member }: Scene, room_id: string): Promise<void> {
  const [{ id: gift_id }, fan] = [await buildGift({ price: 10 }), await buildUser()];
  const planId = await buildSplitPlan([{ to: "receiver", basis_points: 10_000, asset: "earnings" }], {
    gift_ids: [gift_id],
  });
  await buyCoins(fan.id, 10);
  await transferGift(callerOf(fan), { room_id, gift_id, recipient_id: member.id, quantity: 1 });
  await query("UPDATE split_plans SET retired_at = now() WHERE id = $1", [planId]);
  await loadSplitPlans();
}

const sentWebhook = async ({ owner }: Scene): Promise<string> => (await buildSentDelivery(owner)).id;

/** An agency of the owner, to which the stranger is invited, and whose host is the member. */
async function agencyLists({ owner, member, stranger }: Scene): Promise<Record<string, List>> {
  const agency = await buildAgency({}, owner);
  await buildInvitation(agency, stranger);
  await buildInvitation(agency, member);
  await payLine(member.id, { ...agency, owner });
  const below = (path: string): List => ({ path: `/agencies/${agency.id}${path}`, reader: "owner" });
  return {
    "/agencies": { path: "/agencies", reader: "member" },
    "/agencies/contracts": { path: "/agencies/contracts", reader: "member" },
    "/agencies/invitations": { path: "/agencies/invitations", reader: "member" },
    "/agencies/:id/hosts": below("/hosts"),
    "/agencies/:id/progress": below("/progress"),
    "/agencies/:id/runs": below("/runs"),
    "/agencies/:id/invitations": below("/invitations"),
    "/agencies/:id/staff": below("/staff"),
  };
}

/** Every paged list, and who of the scene has something on it. */
const listsOf = async (scene: Scene): Promise<Record<string, List>> => ({
  ...(await agencyLists(scene)),
  "/auth/sessions": { path: "/auth/sessions", reader: "owner" },
  "/conversations": { path: "/conversations", reader: "owner" },
  "/conversations/:id/members": { path: `/conversations/${await scene.group()}/members`, reader: "owner" },
  "/conversations/:id/messages": { path: `/conversations/${await scene.conversation()}/messages`, reader: "owner" },
  "/earnings/movements": { path: "/earnings/movements", reader: "member" },
  "/earnings/runs": { path: "/earnings/runs", reader: "member" },
  "/friends": { path: "/friends", reader: "member" },
  "/friends/requests": { path: "/friends/requests", reader: "owner" },
  "/friends/requests/sent": { path: "/friends/requests/sent", reader: "member" },
  "/games/history": { path: "/games/history", reader: "owner" },
  "/gifts/transactions/received": { path: "/gifts/transactions/received", reader: "member" },
  "/gifts/transactions/sent": { path: "/gifts/transactions/sent", reader: "owner" },
  "/notifications": { path: "/notifications", reader: "owner" },
  "/payments/orders": { path: "/payments/orders", reader: "owner" },
  "/payouts": { path: "/payouts", reader: "member" },
  "/posts": { path: "/posts", reader: "owner" },
  "/rooms": { path: "/rooms", reader: "owner" },
  "/rooms/:id/members": { path: `/rooms/${await scene.room()}/members`, reader: "member" },
  "/rooms/:id/bans": { path: `/rooms/${await scene.room()}/bans`, reader: "owner" },
  "/sellers/me/transfers": { path: "/sellers/me/transfers", reader: "member" },
  "/users/me/blocked": { path: "/users/me/blocked", reader: "owner" },
  "/users/me/followers": { path: "/users/me/followers", reader: "owner" },
  "/users/me/webhooks/:id/deliveries": {
    path: `/users/me/webhooks/${await sentWebhook(scene)}/deliveries`,
    reader: "owner",
  },
  "/users/me/following": { path: "/users/me/following", reader: "member" },
  "/users/online": { path: "/users/online", reader: "owner" },
  "/users/search": { path: `/users/search?q=${scene.member.username}`, reader: "owner" },
  "/wallet/transactions": { path: "/wallet/transactions", reader: "owner" },
});

describe("a paged list", () => {
  const service = useService();
  let scene: Scene;
  let lists: Record<string, List>;
  const post = ({ token }: BuiltUser, path: string, body: object = {}) => service.call("post", path, { token, body });

  before("puts something on every list", async function () {
    this.timeout(60_000);
    scene = await Scene.build(service);
    await scene.furnish();

    const { owner, member, stranger } = scene;
    await post(stranger, `/friends/${member.id}/request`);
    await post(member, `/friends/${stranger.id}/request`);
    await post(owner, `/rooms/${await scene.room()}/gifts`, {
      gift_id: await scene.gift(),
      recipient_id: member.id,
      quantity: 1,
    });
    await buildPayout(member);
    await sellAndReverse(member);
    await earn(scene, await scene.room());
    await query(
      `INSERT INTO room_bans (room_id, user_id, banned_by, banned_until, reason)
       VALUES ($1, $2, $3, now() + interval '1 hour', '')`,
      [await scene.room(), stranger.id, owner.id],
    );
    await connectionOpened(member.id, "a process");
    lists = await listsOf(scene);
  });

  for (const { path } of apiRoutes({ actors: noEngine }).filter(
    ({ query }) => query && describeSchema(query).keys?.page,
  )) {
    it(`tells its true total past the last page: ${path}`, async () => {
      const list = lists[path];
      expect(list, "is missing in this test").not.to.equal(undefined);
      const { token } = scene[list!.reader];
      const read = async (page: number) => {
        const url = `${list!.path}${list!.path.includes("?") ? "&" : "?"}page=${page}&limit=1`;
        return (await service.call("get", url, { token })).body.data;
      };

      const [first, far] = [await read(1), await read(1_000_000)];

      expect(first.items).to.have.length(1);
      expect(far.items).to.deep.equal([]);
      expect([far.total, far.total_pages]).to.deep.equal([first.total, first.total]);
    });
  }
});

import { service as servicePrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildGift, buildPost, buildRoom, buildUser } from "./factories.ts";
import { block, callerOf, follow } from "./people.ts";
import { buildFrame, buildPackage, buildPlan } from "./sales.ts";
import type { useService } from "./service.ts";
import { buildWebhook } from "./webhooks.ts";

type Service = ReturnType<typeof useService>;

/** Four users and their resources, each created on first use. All users have 1000 coins. */
export class Scene {
  /** The host of the room, a user of the conversation, and the author of the post. */
  readonly owner: BuiltUser;
  /** A member of the owner's room, the other user of the conversation, and a follower of the owner. */
  readonly member: BuiltUser;
  /** A user without relations to the others. */
  readonly stranger: BuiltUser;
  /** A user blocked by the owner. */
  readonly blocked: BuiltUser;
  readonly #service: Service;
  readonly #made = new Map<string, Promise<string>>();

  static async build(service: Service): Promise<Scene> {
    const people = await Promise.all(Array.from({ length: 4 }, () => buildUser({ coins: 1000 })));
    const scene = new Scene(service, people);
    await Promise.all([block(scene.owner, scene.blocked), follow(scene.member, scene.owner)]);
    return scene;
  }

  private constructor(service: Service, [owner, member, stranger, blocked]: readonly BuiltUser[]) {
    this.#service = service;
    this.owner = owner!;
    this.member = member!;
    this.stranger = stranger!;
    this.blocked = blocked!;
  }

  /** IDs of everything created so far. */
  async ids(): Promise<string[]> {
    return [
      ...(await Promise.all(this.#made.values())),
      ...[this.owner, this.member, this.stranger].map(({ id }) => id),
    ];
  }

  /** IDs created so far, and addresses, that only the owner and the member may see. */
  async secrets(): Promise<string[]> {
    const kept = ["roomMessage", "seatRequest", "conversation", "message", "closedPost", "lobby", "game", "order"];
    const made = ["friendRequest", "notification", ...kept].map((name) => this.#made.get(name)).filter(Boolean);
    return [...((await Promise.all(made)) as string[]), this.owner.email, this.member.email];
  }

  /** Creates one of everything. */
  async furnish(): Promise<void> {
    for (const make of [
      this.roomMessage,
      this.seatRequest,
      this.gift,
      this.comment,
      this.message,
      this.lobby,
      this.game,
    ])
      await make.call(this);
    for (const make of [this.order, this.frame, this.plan, this.friendRequest, this.notification])
      await make.call(this);
  }

  #once(name: string, make: () => Promise<string>): Promise<string> {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made;
  }

  async #post(user: BuiltUser, path: string, body: object = {}): Promise<string> {
    const { status, body: answer } = await this.#service.call("post", path, { token: user.token, body });
    if (status >= 400) throw new Error(`POST ${path} answered ${JSON.stringify(answer)}`);
    return answer.data.id ?? answer.data.session_id;
  }

  /** With the owner and the member in it. */
  readonly room = () =>
    this.#once("room", async () => {
      const { id } = await buildRoom({ host: this.owner });
      await this.#post(this.owner, `/rooms/${id}/join`);
      await this.#post(this.member, `/rooms/${id}/join`);
      return id;
    });

  /** The member's. */
  readonly roomMessage = () =>
    this.#once("roomMessage", async () => {
      const said = this.#service.actors.voice(await this.room(), callerOf(this.member), "room:message", { body: "Hi" });
      return unwrap(await said).id;
    });

  /** The same, pinned. */
  readonly pin = () =>
    this.#once("pin", async () => {
      const message_id = await this.roomMessage();
      unwrap(await this.#service.actors.voice(await this.room(), callerOf(this.owner), "message:pin", { message_id }));
      return message_id;
    });

  /** The member's. */
  readonly seatRequest = () =>
    this.#once("seatRequest", async () => this.#post(this.member, `/rooms/${await this.room()}/seat-request`));

  readonly gift = () => this.#once("gift", async () => (await buildGift()).id);

  /** A public post of the owner. */
  readonly openPost = () => this.#once("openPost", async () => (await buildPost({ author: this.owner })).id);

  /** A post of the owner for followers. */
  readonly closedPost = () =>
    this.#once("closedPost", async () => (await buildPost({ author: this.owner, visibility: "followers" })).id);

  /** The member's comment on the owner's public post. */
  readonly comment = () =>
    this.#once("comment", async () =>
      this.#post(this.member, `/posts/${await this.openPost()}/comments`, { content: "Indeed!" }),
    );

  readonly conversation = () =>
    this.#once("conversation", () => this.#post(this.owner, "/conversations", { peer_id: this.member.id }));

  /** A group of the owner and the member, each time another one. */
  readonly buildGroup = () =>
    this.#post(this.owner, "/conversations", { kind: "group", name: "Singers", user_ids: [this.member.id] });

  /** One that is the same each time. */
  readonly group = () => this.#once("group", this.buildGroup);

  /** The member's. */
  readonly message = () =>
    this.#once("message", async () =>
      this.#post(this.member, `/conversations/${await this.conversation()}/messages`, { body: "Hello" }),
    );

  /** The owner's lobby in the room, without other players. */
  readonly lobby = () =>
    this.#once("lobby", async () =>
      this.#post(this.owner, "/games/lobbies", { type: "ludo", room_id: await this.room() }),
    );

  /** A game of the owner and the member, outside of rooms. It is the owner's turn. */
  readonly game = () =>
    this.#once("game", async () => {
      const lobby = await this.#post(this.owner, "/games/lobbies", { type: "snakes_and_ladders" });
      await this.#post(this.member, `/games/lobbies/${lobby}/join`);
      await this.#post(this.member, `/games/lobbies/${lobby}/ready`);
      const call = { token: this.owner.token, body: {} };
      return (await this.#service.call("post", `/games/lobbies/${lobby}/start`, call)).body.data.session_id;
    });

  /** The game, abandoned. */
  readonly endedGame = () =>
    this.#once("endedGame", async () => {
      const id = await this.game();
      unwrap(await this.#service.actors.game(id, servicePrincipal, "game:abandon", {}));
      return id;
    });

  /** The owner's webhook. */
  readonly webhook = () => this.#once("webhook", async () => (await buildWebhook(this.owner)).id);
  readonly coinPackage = () => this.#once("coinPackage", async () => (await buildPackage()).id);
  readonly plan = () => this.#once("plan", async () => (await buildPlan()).id);
  /** An item that no user owns. */
  readonly frame = () => this.#once("frame", async () => (await buildFrame()).id);

  /** The owner's order of coins. */
  readonly order = () =>
    this.#once("order", async () => {
      const call = { token: this.owner.token, body: { package_id: await this.coinPackage() } };
      return (await this.#service.call("post", "/payments/orders", call)).body.data.order.id;
    });

  /** The owner's order of coins, which has a receipt. */
  async receiptOfOrder(): Promise<string> {
    const id = await this.order();
    await query(
      `INSERT INTO receipts (id, order_id, kind, number, seller_name, seller_address, seller_tax_id, net, tax, gross, currency)
       VALUES ($1::uuid, $1, 'receipt', $1::text, 'Hubbub', '', '', 1, 0, 1, 'INR') ON CONFLICT DO NOTHING`,
      [id],
    );
    return id;
  }

  /** The owner's subscription at Apple's store. */
  readonly subscription = () =>
    this.#once("subscription", async () => {
      const id = newId();
      await query(
        `INSERT INTO subscriptions (id, user_id, provider, provider_subscription_id, plan_id, status, auto_renew,
           current_period_starts_at, current_period_ends_at, event_at)
         VALUES ($1::uuid, $2, 'apple', $1::text, $3, 'active', true, now(), now() + interval '30 days', now())`,
        [id, this.owner.id, await this.plan()],
      );
      return id;
    });

  /** The provider's ID of the owner's order. */
  async providerOrder(): Promise<string> {
    const call = { token: this.owner.token };
    return (await this.#service.call("get", `/payments/orders/${await this.order()}`, call)).body.data
      .provider_order_id;
  }

  /** From the member to the owner. */
  readonly friendRequest = () =>
    this.#once("friendRequest", () => this.#post(this.member, `/friends/${this.owner.id}/request`));

  /** The owner's. */
  readonly notification = () =>
    this.#once("notification", async () => {
      const id = newId();
      await query(
        "INSERT INTO notifications (id, user_id, type, group_key, actor_id) VALUES ($1, $2, 'follow', 'scene', $3)",
        [id, this.owner.id, this.member.id],
      );
      return id;
    });
}

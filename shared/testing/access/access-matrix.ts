import { requestUpload } from "#shared/domain/base/media/request-upload.ts";
import { createApiKey } from "#shared/domain/identity/api-keys/api-keys.ts";
import { noRules } from "#shared/domain/live/rooms/room-rules.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildSentDelivery, buildWebhook } from "#shared/testing/webhooks.ts";
import { chat, groups } from "./chat-rows.ts";
import { games } from "./game-rows.ts";
import { sanctions } from "./sanction-rows.ts";
import {
  type At,
  anybody,
  type CallerName,
  type IdOf,
  id,
  onlyOwner,
  refused,
  row,
  runners,
  type SocialMatrix,
  theTwo,
  toOthers,
  unlessBlocked,
} from "./social-rows.ts";
import { stores } from "./store-rows.ts";

const owner: IdOf = (scene) => scene.owner.id;
const room: IdOf = (scene) => scene.room();
const announced: IdOf = async (scene) =>
  (await requestUpload(callerOf(scene.owner), { purpose: "avatar", content_type: "image/png", bytes: 100 })).id;
const apiKey: IdOf = async (scene) =>
  (await createApiKey(callerOf(scene.owner), { name: "Shop", allowed_addresses: [] })).id;
const webhook: IdOf = async (scene) => (await buildWebhook(scene.owner)).id;
const sentDelivery: At = async (scene) => {
  const { id, deliveryId } = await buildSentDelivery(scene.owner);
  return { params: { id, deliveryId } };
};
const openPost: IdOf = (scene) => scene.openPost();
const closedPost: IdOf = (scene) => scene.closedPost();
const conversation: IdOf = async (scene) => {
  await scene.message();
  return scene.conversation();
};
const friend: At = (scene) => ({ params: { userId: scene.owner.id } });
const ownRefreshToken: At = (scene, caller) => ({ body: { refreshToken: scene[caller].refreshToken } });
const seatRequest: At = async (scene) => ({
  params: { requestId: await scene.seatRequest(), id: await scene.room() },
});
const comment: At = async (scene) => ({ params: { id: await scene.openPost(), commentId: await scene.comment() } });
const report =
  (target_type: string, idOf: IdOf): At =>
  async (scene) => ({ body: { target_type, target_id: await idOf(scene), reason: "Harassment" } });

/** A number for each caller: the messages to one are limited. */
const mobileOf = (caller: CallerName) =>
  `+9198765${String(10_000 + caller.length * 7 + caller.charCodeAt(0)).slice(0, 5)}`;

const accounts: SocialMatrix = {
  "post /auth/register": anybody((_scene, caller) => ({ body: newcomer(caller) })),
  "post /auth/login": anybody((scene, caller) => ({
    body: { identifier: scene[caller].username, password: scene[caller].password },
  })),
  "post /auth/refresh": anybody(ownRefreshToken),
  "post /auth/logout": anybody(ownRefreshToken),
  "get /auth/me": anybody(),
  "post /auth/verify-email": refused("CODE_INVALID", (scene) => ({
    body: { email: scene.owner.email, code: "000000" },
  })),
  "post /auth/verify-mobile": refused("CODE_INVALID"),
  "post /auth/resend-verification": anybody((scene) => ({ body: { email: scene.owner.email } })),
  "post /auth/forgot-password": anybody((scene) => ({ body: { email: scene.owner.email } })),
  "post /auth/reset-password": refused("CODE_INVALID"),
  "post /auth/google": refused("NOT_FOUND"),
  "post /auth/apple": refused("NOT_FOUND"),
  "post /auth/apple/notifications": refused("NOT_FOUND"),
  "post /auth/facebook": refused("NOT_FOUND"),
  "post /auth/oidc/:provider": refused("NOT_FOUND"),
  "post /auth/phone/code": anybody((_scene, caller) => ({ body: { mobile: mobileOf(caller) } })),
  "post /auth/phone": refused("CODE_INVALID"),
  "post /auth/guest": refused("INVALID_CREDENTIALS"),
  "get /users/me/identities": anybody(),
  "put /users/me/age-signal": anybody(),
  "post /users/me/identities/:provider": refused("NOT_FOUND", () => ({ params: { provider: "unknown" } })),
  "delete /users/me/identities/:provider": refused("LAST_IDENTITY", () => ({ params: { provider: "password" } })),
  "get /users/me/second-factor": anybody(),
  "post /users/me/second-factor": refused("INVALID_CREDENTIALS", () => ({ body: { password: "another password" } })),
  "post /users/me/second-factor/confirm": refused("CODE_INVALID"),
  "post /users/me/second-factor/disable": refused("CODE_INVALID"),
  "get /auth/sessions": anybody(),
  "delete /auth/sessions/:id": row(
    onlyOwner,
    id((scene) => scene.owner.sessionId),
  ),
  "post /account/delete-request": anybody(() => ({})),
  "post /users/me/export": anybody(),
  "get /users/me/export": refused("NOT_FOUND", () => ({})),
  "get /users/me/terms": anybody(),
  "post /users/me/terms": refused("CONFLICT", () => ({ body: { version: "never" } })),
  "get /users/me/held": anybody(),
  "get /sticker-packs": anybody(),
  "post /media": anybody(),
  "post /media/:id/complete": row(["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "CONFLICT"], id(announced)),
  "get /media/:id": row(onlyOwner, id(announced)),
  "delete /media/:id": row(onlyOwner, id(announced)),
  "get /users/me": anybody(),
  "get /users/me/api-keys": anybody(),
  "post /users/me/api-keys": anybody(() => ({})),
  "get /users/me/catalogue-customer": refused("NOT_FOUND"),
  "post /users/me/catalogue-customer": anybody(),
  "delete /users/me/api-keys/:id": row(onlyOwner, id(apiKey)),
  "get /users/me/webhooks": anybody(),
  "post /users/me/webhooks": anybody(() => ({})),
  "post /users/me/webhooks/:id/enable": row(onlyOwner, id(webhook)),
  "delete /users/me/webhooks/:id": row(onlyOwner, id(webhook)),
  "get /users/me/webhooks/:id/deliveries": row(
    onlyOwner,
    id((scene) => scene.webhook()),
  ),
  "post /users/me/webhooks/:id/deliveries/:deliveryId/resend": row(onlyOwner, sentDelivery),
  "patch /users/me": anybody(() => ({ body: { bio: "Poet of numbers." } })),
  "patch /users/me/settings": anybody(),
  "post /users/me/device": anybody(),
  "get /users/me/followers": anybody(),
  "get /users/me/following": anybody(),
  "get /users/me/blocked": anybody(),
};

/** Returns unique values. */
const newcomer = (caller: CallerName) => {
  const name = `${caller}${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  const password = "correct horse battery";
  return {
    full_name: "New Comer",
    username: name,
    email: `${name}@example.com`,
    password,
    confirm_password: password,
    terms_accepted: true,
  };
};

const people: SocialMatrix = {
  "get /users/search": anybody((scene) => ({ query: { q: scene.owner.username } })),
  "get /users/online": anybody(),
  "get /users/:id": row(unlessBlocked, id(owner)),
  "get /users/:id/posts": row(unlessBlocked, id(owner)),
  "post /users/:id/follow": row(toOthers, id(owner)),
  "delete /users/:id/follow": row(toOthers, id(owner)),
  // Blocked users can block in turn, and report what they saw before.
  "post /users/:id/block": row(["ok", "ok", "ok", "FORBIDDEN"], id(owner)),
  "delete /users/:id/block": row(toOthers, id(owner)),
  "post /users/:id/report": row(["ok", "ok", "ok", "FORBIDDEN"], id(owner)),
  "post /reports (a person)": row(["ok", "ok", "ok", "FORBIDDEN"], report("user", owner)),
  "post /reports (a post for followers)": row(
    ["NOT_FOUND", "NOT_FOUND", "ok", "FORBIDDEN"],
    report("post", closedPost),
  ),
  "post /reports (a message between two)": row(
    ["NOT_FOUND", "NOT_FOUND", "FORBIDDEN", "ok"],
    report("message", (scene) => scene.message()),
  ),
  "get /friends": anybody(),
  "delete /friends/:userId": row(toOthers, friend),
  "get /friends/requests": anybody(),
  "get /friends/requests/sent": anybody(),
  "post /friends/:userId/request": row(toOthers, friend),
  "post /friends/requests/:id/accept": row(
    ["NOT_FOUND", "NOT_FOUND", "FORBIDDEN", "ok"],
    id((scene) => scene.friendRequest()),
  ),
  "post /friends/requests/:id/reject": row(
    ["NOT_FOUND", "NOT_FOUND", "FORBIDDEN", "ok"],
    id((scene) => scene.friendRequest()),
  ),
  "delete /friends/requests/:id": row(
    ["NOT_FOUND", "NOT_FOUND", "ok", "FORBIDDEN"],
    id((scene) => scene.friendRequest()),
  ),
};

const rooms: SocialMatrix = {
  "get /rooms": anybody(),
  "post /rooms": anybody(() => ({ body: { name: "Night owls", category: "music", language: "en" } })),
  "get /rooms/:id": row(unlessBlocked, id(room)),
  "patch /rooms/:id": row(runners, id(room, { body: { name: "Mine now" } })),
  "delete /rooms/:id": row(runners, id(room)),
  "post /rooms/:id/join": row(["ok", "BLOCKED", "ok", "ok"], id(room, { body: {} })),
  "post /rooms/:id/leave": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ok"], id(room)),
  "get /rooms/:id/messages": row(["NOT_A_MEMBER", "NOT_FOUND", "ok", "ok"], id(room)),
  "delete /rooms/:id/messages/:messageId": row(theTwo, async (scene) => ({
    params: { id: await scene.room(), messageId: await scene.roomMessage() },
  })),
  "post /rooms/:id/seat-request": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ALREADY_SEATED"], id(room, { body: {} })),
  "get /rooms/:id/seat-requests": row(runners, id(room)),
  "post /rooms/:id/seat-requests/:requestId/approve": row(runners, seatRequest),
  "post /rooms/:id/seat-requests/:requestId/reject": row(runners, seatRequest),
  "post /rooms/:id/kick": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "FORBIDDEN", "ok"], async (scene, caller) => ({
    params: { id: await scene.room() },
    body: { user_id: caller === "owner" ? scene.member.id : scene.owner.id },
  })),
  "get /rooms/:id/members": row(unlessBlocked, id(room)),
  "get /rooms/:id/bans": row(["NOT_A_MEMBER", "NOT_FOUND", "FORBIDDEN", "ok"], id(room)),
  "delete /rooms/:id/bans": row(runners, id(room)),
  "get /rooms/:id/rules": row(["NOT_A_MEMBER", "NOT_FOUND", "FORBIDDEN", "ok"], id(room)),
  "put /rooms/:id/rules": row(runners, id(room, { body: noRules })),
  "put /rooms/:id/members/:userId/role": row(runners, async (scene) => ({
    params: { id: await scene.room(), userId: scene.member.id },
  })),
  // Without credentials, all calls fail. See voice.test.ts for permissions.
  "post /rooms/:id/voice-token": refused("VOICE_NOT_CONFIGURED", id(room)),
  "post /rooms/:id/gifts": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "FORBIDDEN"], async (scene) => ({
    params: { id: await scene.room() },
    body: { gift_id: await scene.gift(), recipient_id: scene.owner.id, quantity: 1 },
  })),
};

const messages: SocialMatrix = {
  "get /conversations": anybody(),
  "post /conversations": row(toOthers, (scene) => ({ body: { peer_id: scene.owner.id } })),
  "get /conversations/:id/messages": row(theTwo, id(conversation)),
  "get /conversations/:id/messages (by page)": row(theTwo, id(conversation, { query: { page: "1" } })),
  "post /conversations/:id/messages": row(theTwo, id(conversation)),
  "post /conversations/:id/read": row(theTwo, id(conversation)),
  "get /notifications": anybody(),
  "get /notifications/unread-count": anybody(),
  "patch /notifications/:id/read": row(
    onlyOwner,
    id((scene) => scene.notification()),
  ),
  "post /notifications/read-all": anybody(),
};

const frame: IdOf = (scene) => scene.frame();

const money: SocialMatrix = {
  "get /wallet": anybody(),
  "get /gifts": anybody(),
  "get /gifts/transactions/sent": anybody(),
  "get /gifts/transactions/received": anybody(),
  "post /payments/orders": anybody(async (scene) => ({ body: { package_id: await scene.coinPackage() } })),
  "get /payments/orders/:id": row(
    onlyOwner,
    id((scene) => scene.order()),
  ),
  "post /payments/verify": row(["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "PAYMENT_SIGNATURE_INVALID"], async (scene) => ({
    body: {
      payment_provider_order_id: await scene.providerOrder(),
      payment_provider_payment_id: "pay_of_somebody",
      payment_provider_signature: "0".repeat(64),
    },
  })),
  "post /payments/coupons/:code": refused("NOT_FOUND", () => ({ params: { code: "NO-SUCH" } })),
  "post /payments/google": refused("NOT_FOUND", () => ({ body: { product_id: "coins", purchase_token: "unknown" } })),
  "post /payments/webhook/google": refused("NOT_FOUND"),
  "post /payments/webhook/:provider": refused("PAYMENT_SIGNATURE_INVALID", () => ({ params: { provider: "sandbox" } })),
  "get /store/frames": anybody(),
  "post /store/frames/:id/purchase": anybody(id(frame, { body: {} })),
  "post /store/frames/:id/equip": refused("NOT_OWNED", id(frame)),
  "delete /store/frames/:id/equip": refused("NOT_OWNED", id(frame)),
  "post /store/vip/:planId/purchase": anybody(async (scene) => ({ params: { planId: await scene.plan() } })),
};

const posts: SocialMatrix = {
  "get /posts": anybody(),
  "post /posts": anybody(() => ({ body: { content: "Good evening!" } })),
  "get /posts/:id": row(unlessBlocked, id(openPost)),
  "get /posts/:id (for followers)": row(theTwo, id(closedPost)),
  "delete /posts/:id": row(["FORBIDDEN", "NOT_FOUND", "FORBIDDEN", "ok"], id(openPost)),
  "delete /posts/:id (for followers)": row(["NOT_FOUND", "NOT_FOUND", "FORBIDDEN", "ok"], id(closedPost)),
  "post /posts/:id/like": row(unlessBlocked, id(openPost)),
  "post /posts/:id/like (for followers)": row(theTwo, id(closedPost)),
  "get /posts/:id/comments": row(unlessBlocked, id(openPost)),
  "get /posts/:id/comments (for followers)": row(theTwo, id(closedPost)),
  "post /posts/:id/comments": row(unlessBlocked, id(openPost)),
  "post /posts/:id/comments (for followers)": row(theTwo, id(closedPost)),
  "delete /posts/:id/comments/:commentId": row(["FORBIDDEN", "NOT_FOUND", "ok", "ok"], comment),
};

const everybodys: SocialMatrix = {
  "get /config/public": anybody(),
  "get /settings/privacy": anybody(),
  "get /events": anybody(),
  "get /leaderboards": anybody(() => ({ query: { scope: "gift_senders" } })),
  "post /support/tickets": anybody(),
};

/** The access matrix of the social API. */
export const accessMatrix: SocialMatrix = {
  ...accounts,
  ...people,
  ...rooms,
  ...chat,
  ...groups,
  ...games,
  ...messages,
  ...money,
  ...stores,
  ...posts,
  ...sanctions,
  ...everybodys,
};

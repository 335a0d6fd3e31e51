import { setPinned } from "#shared/domain/social/conversations/change-message.ts";
import { createInvite } from "#shared/domain/social/groups/invites.ts";
import { callerOf } from "#shared/testing/people.ts";
import type { Scene } from "#shared/testing/scene.ts";
import {
  type At,
  type IdOf,
  id,
  type Outcomes,
  row,
  runners,
  type SocialMatrix,
  theTwo,
  unlessBlocked,
} from "./social-rows.ts";

const conversation: IdOf = (scene) => scene.conversation();
const room: IdOf = (scene) => scene.room();
const ofMessage: At = async (scene) => ({
  params: { id: await scene.room(), messageId: await scene.roomMessage() },
  body: { body: "Hello" },
});
const reaction: At = async (scene) => {
  const { params } = await ofMessage(scene, "owner");
  return { params: { ...params, emoji: "🔥" } };
};
const toBePinned: At = async (scene) => ({
  params: { id: await scene.room(), messageId: await scene.roomMessage() },
});
const pinned: At = async (scene) => ({ params: { id: await scene.room(), messageId: await scene.pin() } });

const ofDirect: At = async (scene) => ({
  params: { id: await scene.conversation(), messageId: await scene.message() },
});
const directReaction: At = async (scene) => {
  const { params } = await ofDirect(scene, "owner");
  return { params: { ...params, emoji: "🔥" } };
};
const pinnedDirect: At = async (scene) => {
  const place = { conversationId: await scene.conversation(), messageId: await scene.message() };
  await setPinned(callerOf(scene.owner), place, true);
  return ofDirect(scene, "owner");
};

const group: IdOf = (scene) => scene.group();
const ofGroup =
  (body: (scene: Scene) => object = () => ({})): At =>
  async (scene) => ({ params: { id: await scene.buildGroup() }, body: body(scene) });
const groupMember: At = async (scene) => ({
  params: { id: await scene.buildGroup(), userId: scene.member.id },
  body: { role: "admin" },
});
const groupOwner: At = async (scene) => ({ params: { id: await scene.buildGroup(), userId: scene.owner.id } });
const invite: At = async (scene) => {
  const id = await scene.buildGroup();
  const made = await createInvite(callerOf(scene.owner), id, { expires_in: 60 });
  return { params: { id, inviteId: made.id } };
};
const code: At = async (scene) => {
  const made = await createInvite(callerOf(scene.owner), await scene.group(), { expires_in: 60 });
  return { params: { code: made.code } };
};
const byOwner: Outcomes = ["NOT_FOUND", "NOT_FOUND", "FORBIDDEN", "ok"];

/** What people may do to groups. */
export const groups: SocialMatrix = {
  "get /conversations/:id": row(theTwo, id(conversation)),
  "patch /conversations/:id": row(
    byOwner,
    ofGroup(() => ({ name: "Choir" })),
  ),
  "put /conversations/:id/mute": row(theTwo, id(conversation)),
  "delete /conversations/:id/mute": row(theTwo, id(conversation)),
  "get /conversations/:id/members": row(theTwo, id(group)),
  "post /conversations/:id/members": row(
    byOwner,
    ofGroup(({ stranger }) => ({ user_ids: [stranger.id] })),
  ),
  "patch /conversations/:id/members/:userId": row(byOwner, groupMember),
  "delete /conversations/:id/members/:userId": row(byOwner, groupOwner),
  "get /conversations/:id/invites": row(byOwner, id(group)),
  "post /conversations/:id/invites": row(byOwner, ofGroup()),
  "delete /conversations/:id/invites/:inviteId": row(byOwner, invite),
  "get /group-invites/:code": row(unlessBlocked, code),
  "post /group-invites/:code/join": row(unlessBlocked, code),
};

/** What people may do to messages. */
export const chat: SocialMatrix = {
  "post /rooms/:id/messages": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ok"], id(room, { body: { body: "Hi" } })),
  "patch /rooms/:id/messages/:messageId": row(["NOT_FOUND", "NOT_FOUND", "ok", "FORBIDDEN"], ofMessage),
  "put /rooms/:id/messages/:messageId/reactions/:emoji": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ok"], reaction),
  "delete /rooms/:id/messages/:messageId/reactions/:emoji": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ok"], reaction),
  "get /rooms/:id/pins": row(["NOT_A_MEMBER", "NOT_FOUND", "ok", "ok"], id(room)),
  "put /rooms/:id/pins/:messageId": row(runners, toBePinned),
  "delete /rooms/:id/pins/:messageId": row(runners, pinned),
  "patch /conversations/:id/messages/:messageId": row(["NOT_FOUND", "NOT_FOUND", "ok", "FORBIDDEN"], async (scene) => ({
    ...(await ofDirect(scene, "owner")),
    body: { body: "Hello" },
  })),
  "delete /conversations/:id/messages/:messageId": row(["NOT_FOUND", "NOT_FOUND", "ok", "FORBIDDEN"], ofDirect),
  "put /conversations/:id/messages/:messageId/reactions/:emoji": row(theTwo, directReaction),
  "delete /conversations/:id/messages/:messageId/reactions/:emoji": row(theTwo, directReaction),
  "get /conversations/:id/pins": row(theTwo, id(conversation)),
  "put /conversations/:id/pins/:messageId": row(theTwo, ofDirect),
  "delete /conversations/:id/pins/:messageId": row(theTwo, pinnedDirect),
};

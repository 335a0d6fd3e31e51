import { setPinned } from "#shared/domain/social/conversations/change-message.ts";
import { callerOf } from "#shared/testing/people.ts";
import { type At, type IdOf, id, row, runners, type SocialMatrix, theTwo } from "./social-rows.ts";

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

import { type At, type IdOf, id, row, runners, type SocialMatrix } from "./social-rows.ts";

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

/** What people may do to the messages of a room. */
export const chat: SocialMatrix = {
  "post /rooms/:id/messages": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ok"], id(room, { body: { body: "Hi" } })),
  "patch /rooms/:id/messages/:messageId": row(["NOT_FOUND", "NOT_FOUND", "ok", "FORBIDDEN"], ofMessage),
  "put /rooms/:id/messages/:messageId/reactions/:emoji": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ok"], reaction),
  "delete /rooms/:id/messages/:messageId/reactions/:emoji": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ok"], reaction),
  "get /rooms/:id/pins": row(["NOT_A_MEMBER", "NOT_FOUND", "ok", "ok"], id(room)),
  "put /rooms/:id/pins/:messageId": row(runners, toBePinned),
  "delete /rooms/:id/pins/:messageId": row(runners, pinned),
};

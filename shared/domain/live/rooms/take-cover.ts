import { takePicture } from "#shared/domain/base/media/take-media.ts";

/**
 * Returns the address of an upload that shall be the cover of a user's room; null for no cover.
 * @throws NOT_FOUND, CONFLICT if it isn't theirs, or isn't ready
 */
export const takeCover = async (
  userId: string,
  mediaId: string | null | undefined,
): Promise<string | null | undefined> =>
  typeof mediaId === "string" ? await takePicture(userId, "room_cover", mediaId, "large") : mediaId;

import type { FriendRequest } from "#shared/contracts/views.ts";
import { requestFriend } from "#shared/domain/relations/request-friend.ts";
import { AlreadyThere, type Call } from "../../http/route.ts";
import type { FriendParams } from "./friends.schemas.ts";

/** Asks somebody; the request of his that was there is accepted instead. */
export async function postRequest({
  caller,
  params,
}: Call<FriendParams>): Promise<FriendRequest | AlreadyThere<FriendRequest>> {
  const { request, made } = await requestFriend(caller, params.userId);
  return made ? request : new AlreadyThere(request);
}

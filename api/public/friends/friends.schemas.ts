import { id, input, pageQuery } from "#shared/contracts/fields.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

export interface FriendParams {
  userId: string;
}
export const friendParams = input<FriendParams>({ userId: id().required() });

export interface RequestParams {
  id: string;
}
export const requestParams = input<RequestParams>({ id: id().required() });

export const listQuery = input<PageQuery>(pageQuery);

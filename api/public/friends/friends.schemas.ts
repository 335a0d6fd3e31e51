import { type Infer, id, object, pageQuery } from "#shared/contracts/fields.ts";

export const friendParams = object({ userId: id() });
export type FriendParams = Infer<typeof friendParams>;

export const requestParams = object({ id: id() });
export type RequestParams = Infer<typeof requestParams>;

export const listQuery = object(pageQuery);

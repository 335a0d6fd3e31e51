import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object, pageQuery } from "#shared/contracts/fields.ts";

export const friendParams = object({ userId: id(exampleIds.grace) });

export const requestParams = object({ id: id(exampleIds.friendRequest) });

export const listQuery = object(pageQuery);

import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object, pageOf, pageQuery } from "#shared/contracts/fields.ts";
import { friendRequest, grace } from "#shared/contracts/views.ts";
import { exampleOf, exampleWith } from "../../../docs/example-of.ts";

export const friendParams = object({ userId: id(exampleIds.grace) });

export const requestParams = object({ id: id(exampleIds.friendRequest) });

export const listQuery = object(pageQuery);

/** The example with Grace as the sender. */
export const receivedRequest = exampleWith(friendRequest, () => ({
  sender: grace,
  recipient: exampleOf(friendRequest).sender,
}));

export const sentRequests = pageOf(friendRequest);
export const receivedRequests = exampleWith(sentRequests, () => ({ items: [exampleOf(receivedRequest)] }));

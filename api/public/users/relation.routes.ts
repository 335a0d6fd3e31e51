import { relation } from "#shared/contracts/views.ts";
import { blockUser, unblockUser } from "#shared/domain/relations/block-user.ts";
import { followUser, unfollowUser } from "#shared/domain/relations/follow-user.ts";
import { exampleWith } from "../../docs/example-of.ts";
import { type Route, route } from "../../http/route.ts";
import { userParams } from "./users.schemas.ts";

const entry = {
  tag: "Users",
  auth: "user",
  params: userParams,
  rateLimit: { points: 120, seconds: 60, by: "user" },
} as const;

const unrelated = exampleWith(relation, { is_following: false });

/** Operations between two users. Each may be repeated, and returns how the two are related afterwards. */
export const relationRoutes = (): Route[] => [
  route({
    ...entry,
    id: "followUser",
    method: "post",
    path: "/users/:id/follow",
    summary: "Follow a user",
    description:
      "The user is notified, and you can read the posts they share with followers. Following a user twice changes nothing. FORBIDDEN if it is you, CONFLICT if you follow 10,000 users already.",
    response: relation,
    errors: ["FORBIDDEN", "BLOCKED", "CONFLICT"],
    handler: ({ caller, params }) => followUser(caller, params.id),
  }),
  route({
    ...entry,
    id: "unfollowUser",
    method: "delete",
    path: "/users/:id/follow",
    summary: "Unfollow a user",
    description: "The user is not notified. Succeeds even if you don't follow the user.",
    response: unrelated,
    errors: ["FORBIDDEN"],
    handler: ({ caller, params }) => unfollowUser(caller, params.id),
  }),
  route({
    ...entry,
    id: "blockUser",
    method: "post",
    path: "/users/:id/block",
    summary: "Block a user",
    description:
      "A block works both ways. It removes follows, friendship and pending friend requests between you. Neither of you can find, see or write to the other, or join a room that the other hosts. You may block a user who has blocked you. CONFLICT if you block 10,000 users already.",
    response: exampleWith(unrelated, { is_blocked: true }),
    errors: ["FORBIDDEN", "CONFLICT"],
    handler: ({ caller, params }) => blockUser(caller, params.id),
  }),
  route({
    ...entry,
    id: "unblockUser",
    method: "delete",
    path: "/users/:id/block",
    summary: "Unblock a user",
    description: "Follows and friendship that the block removed do not come back. Succeeds without a block, too.",
    response: unrelated,
    errors: ["FORBIDDEN"],
    handler: ({ caller, params }) => unblockUser(caller, params.id),
  }),
];

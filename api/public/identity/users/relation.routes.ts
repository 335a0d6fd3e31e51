import { relation } from "#shared/contracts/views.ts";
import { blockUser, unblockUser } from "#shared/domain/identity/relations/block-user.ts";
import { followUser, unfollowUser } from "#shared/domain/identity/relations/follow-user.ts";
import { exampleWith } from "../../../docs/example-of.ts";
import { type Route, route } from "../../../http/route.ts";
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
    blocks: "person",
    summary: "Follow a user",
    description:
      "The user is notified, and you can read the posts they share with followers. Succeeds even if you already follow the user. The error is `FORBIDDEN` if the user is you, and `CONFLICT` if you already follow 10,000 users.",
    response: relation,
    errors: ["FORBIDDEN", "CONFLICT"],
    handler: ({ caller, params }) => followUser(caller, params.id),
  }),
  route({
    ...entry,
    id: "unfollowUser",
    method: "delete",
    path: "/users/:id/follow",
    blocks: "profile",
    summary: "Unfollow a user",
    description: "The user isn't notified. Succeeds even if you don't follow the user.",
    response: unrelated,
    errors: ["FORBIDDEN"],
    handler: ({ caller, params }) => unfollowUser(caller, params.id),
  }),
  route({
    ...entry,
    id: "blockUser",
    method: "post",
    path: "/users/:id/block",
    blocks: "unaffected",
    summary: "Block a user",
    description:
      "A block works in both directions. It removes follows, friendship, and pending friend requests between you. Neither of you can find, see, or message the other, or join a room that the other hosts. You can block a user who has blocked you. The error is `CONFLICT` if you have already blocked 10,000 users.",
    response: exampleWith(unrelated, { is_blocked: true }),
    errors: ["FORBIDDEN", "CONFLICT"],
    handler: ({ caller, params }) => blockUser(caller, params.id),
  }),
  route({
    ...entry,
    id: "unblockUser",
    method: "delete",
    path: "/users/:id/block",
    blocks: "profile",
    summary: "Unblock a user",
    description:
      "Doesn't restore the follows and the friendship that the block removed. Succeeds even if you haven't blocked the user, and even if the user has blocked you, too.",
    response: unrelated,
    errors: ["FORBIDDEN"],
    handler: ({ caller, params }) => unblockUser(caller, params.id),
  }),
];

import { relation } from "#shared/contracts/views.ts";
import { blockUser, unblockUser } from "#shared/domain/relations/block-user.ts";
import { followUser, unfollowUser } from "#shared/domain/relations/follow-user.ts";
import { type Route, route } from "../../http/route.ts";
import { type UserParams, userParams } from "./users.schemas.ts";

const entry = {
  tag: "Users",
  auth: "user",
  params: userParams,
  response: relation,
  rateLimit: { points: 120, seconds: 60, by: "user" },
} as const;

/** What one does to others. Each may be said twice and answers how the two stand to each other then. */
export const relationRoutes = (): Route[] => [
  route<UserParams>({
    ...entry,
    method: "post",
    path: "/users/:id/follow",
    summary: "Follow somebody",
    errors: ["FORBIDDEN", "BLOCKED", "CONFLICT"],
    handler: ({ caller, params }) => followUser(caller, params.id),
  }),
  route<UserParams>({
    ...entry,
    method: "delete",
    path: "/users/:id/follow",
    summary: "Follow somebody no longer",
    errors: ["FORBIDDEN"],
    handler: ({ caller, params }) => unfollowUser(caller, params.id),
  }),
  route<UserParams>({
    ...entry,
    method: "post",
    path: "/users/:id/block",
    summary: "Block somebody",
    description:
      "Both ways and everywhere: follows, friendship and pending requests between you are gone, neither finds, sees or writes to the other, and neither joins a room that the other hosts. Who has been blocked may block too.",
    errors: ["FORBIDDEN", "CONFLICT"],
    handler: ({ caller, params }) => blockUser(caller, params.id),
  }),
  route<UserParams>({
    ...entry,
    method: "delete",
    path: "/users/:id/block",
    summary: "Take a block back; what it has cut stays cut",
    errors: ["FORBIDDEN"],
    handler: ({ caller, params }) => unblockUser(caller, params.id),
  }),
];

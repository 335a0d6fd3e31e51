import { me, profile } from "#shared/contracts/views.ts";
import { getMe, getProfile } from "#shared/domain/users/profile.queries.ts";
import { type MeChanges, updateMe } from "#shared/domain/users/update-me.ts";
import { type Route, route } from "../../http/route.ts";
import { meChanges, type UserParams, userParams } from "./users.schemas.ts";

const tag = "Users";

export const usersRoutes = (): Route[] => [
  route({
    method: "get",
    path: "/users/me",
    tag,
    summary: "Yourself: profile, settings, wallet",
    auth: "user",
    response: me,
    handler: ({ caller }) => getMe(caller.userId),
  }),
  route<object, object, MeChanges>({
    method: "patch",
    path: "/users/me",
    tag,
    summary: "Change your profile and settings",
    auth: "user",
    body: meChanges,
    response: me,
    handler: ({ caller, body }) => updateMe(caller, body),
  }),
  route<UserParams>({
    method: "get",
    path: "/users/:id",
    tag,
    summary: "Somebody's public profile",
    description: "Presence and current room are shown as that person's privacy settings say.",
    auth: "user",
    params: userParams,
    response: profile,
    handler: ({ caller, params }) => getProfile(caller.userId, params.id),
  }),
];

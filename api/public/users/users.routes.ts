import { pageOf } from "#shared/contracts/fields.ts";
import { device, me, profile, userCard, userSettings } from "#shared/contracts/views.ts";
import { type DeviceInput, registerDevice } from "#shared/domain/devices/register-device.ts";
import { listOnline } from "#shared/domain/presence/online.queries.ts";
import { listBlocked, listFollowers, listFollowing } from "#shared/domain/relations/relations.queries.ts";
import { getMe, getProfile } from "#shared/domain/users/profile.queries.ts";
import { searchUsers, type UserSearch } from "#shared/domain/users/search-users.ts";
import { type MeChanges, updateMe } from "#shared/domain/users/update-me.ts";
import type { PageQuery } from "#shared/kernel/page.ts";
import { type Route, route } from "../../http/route.ts";
import { relationRoutes } from "./relation.routes.ts";
import * as schemas from "./users.schemas.ts";

const user = { tag: "Users", auth: "user" } as const;
const list = { ...user, method: "get", query: schemas.listQuery, response: pageOf(userCard) } as const;

export const usersRoutes = (): Route[] => [
  route({
    ...user,
    method: "get",
    path: "/users/me",
    summary: "Yourself: profile, settings, wallet",
    response: me,
    handler: ({ caller }) => getMe(caller.userId),
  }),
  route<object, object, MeChanges>({
    ...user,
    method: "patch",
    path: "/users/me",
    summary: "Change your profile and settings",
    body: schemas.meChanges,
    response: me,
    handler: ({ caller, body }) => updateMe(caller, body),
  }),
  route<object, object, schemas.SettingsChanges>({
    ...user,
    method: "patch",
    path: "/users/me/settings",
    summary: "Change your privacy and notification settings",
    body: schemas.settingsChanges,
    response: userSettings,
    handler: async ({ caller, body }) => (await updateMe(caller, { settings: body })).settings,
  }),
  route<object, object, DeviceInput>({
    ...user,
    method: "post",
    path: "/users/me/device",
    summary: "Register where pushes for you go",
    description:
      "The same `device_uid` again takes the new token. A token belongs to whoever registered it last. Pushes go there until the session that registered it ends.",
    body: schemas.deviceBody,
    status: 201,
    response: device,
    rateLimit: { points: 30, seconds: 60, by: "user" },
    handler: ({ caller, body }) => registerDevice(caller, body),
  }),
  route<object, PageQuery>({
    ...list,
    path: "/users/me/followers",
    summary: "Who follows you, the newest first",
    handler: ({ caller, query }) => listFollowers(caller.userId, query),
  }),
  route<object, PageQuery>({
    ...list,
    path: "/users/me/following",
    summary: "Whom you follow, the newest first",
    handler: ({ caller, query }) => listFollowing(caller.userId, query),
  }),
  route<object, PageQuery>({
    ...list,
    path: "/users/me/blocked",
    summary: "Whom you have blocked, the newest first",
    handler: ({ caller, query }) => listBlocked(caller.userId, query),
  }),
  route<object, UserSearch>({
    ...user,
    method: "get",
    path: "/users/search",
    summary: "Find people by username or name",
    description:
      "The very username first, then names that begin so, then similar ones. Case, accents, width variants and characters without width do not matter. Bounded: of very many who are called alike some hundreds are found. People with whom a block stands are not.",
    query: schemas.searchQuery,
    response: pageOf(userCard),
    rateLimit: { points: 120, seconds: 60, by: "user" },
    handler: ({ caller, query }) => searchUsers(caller.userId, query),
  }),
  route<object, PageQuery>({
    ...list,
    path: "/users/online",
    summary: "Who else is online and shows it; whom you follow comes first",
    handler: ({ caller, query }) => listOnline(caller.userId, query),
  }),
  route<schemas.UserParams>({
    ...user,
    method: "get",
    path: "/users/:id",
    summary: "Somebody's public profile",
    description:
      "Presence and current room are shown as that person's privacy settings say, and not of somebody whom you have blocked. Whoever has blocked you is not found.",
    params: schemas.userParams,
    response: profile,
    handler: ({ caller, params }) => getProfile(caller.userId, params.id),
  }),
  ...relationRoutes(),
];

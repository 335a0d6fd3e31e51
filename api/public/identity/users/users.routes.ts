import { exampleTime } from "#shared/contracts/examples.ts";
import { device, grace, me, profile, userCardPage, userSettings } from "#shared/contracts/views.ts";
import { registerDevice } from "#shared/domain/identity/devices/register-device.ts";
import { listOnline } from "#shared/domain/identity/presence/online.queries.ts";
import { listBlocked, listFollowers, listFollowing } from "#shared/domain/identity/relations/relations.queries.ts";
import { completeProfile } from "#shared/domain/identity/sign-in/complete-profile.ts";
import { getMe, getProfile } from "#shared/domain/identity/users/profile.queries.ts";
import { searchUsers } from "#shared/domain/identity/users/search-users.ts";
import { updateMe, updateSettings } from "#shared/domain/identity/users/update-me.ts";
import { exampleWith } from "../../../docs/example-of.ts";
import { AlreadyExists, type Route, routeOf } from "../../../http/route.ts";
import { relationRoutes } from "./relation.routes.ts";
import * as schemas from "./users.schemas.ts";

const route = routeOf("Users", "user");
const list = { method: "get", query: schemas.listQuery, response: userCardPage } as const;

const ownRoutes = (): Route[] => [
  route({
    id: "getMe",
    method: "get",
    path: "/users/me",
    summary: "Get your own account",
    description:
      "Returns your profile, including what only you can see: email address, mobile number, settings, and wallet balance.",
    response: me,
    handler: ({ caller }) => getMe(caller.userId),
  }),
  route({
    id: "updateMe",
    method: "patch",
    path: "/users/me",
    summary: "Update your profile",
    description:
      "Updates the fields that you send, including settings. Other users see changes to your card immediately.",
    blocks: "none",
    body: schemas.updateMeBody,
    response: me,
    errors: ["USERNAME_TAKEN", "NOT_FOUND", "CONFLICT", "CONTENT_BLOCKED"],
    handler: async ({ caller, body: { username, date_of_birth, ...changes } }) => {
      await completeProfile(caller, {
        ...(username !== undefined && { username }),
        ...(date_of_birth !== undefined && { date_of_birth }),
        ...(changes.country !== undefined && { country: changes.country }),
      });
      return updateMe(caller, changes);
    },
  }),
  route({
    id: "updateMySettings",
    method: "patch",
    path: "/users/me/settings",
    summary: "Update your settings",
    description:
      "Updates who can see and contact you, and what you are notified about. Changes take effect immediately.",
    body: schemas.updateSettingsBody,
    response: userSettings,
    handler: ({ caller, body }) => updateSettings(caller, body),
  }),
  route({
    id: "registerDevice",
    method: "post",
    path: "/users/me/device",
    summary: "Register a push device",
    description:
      "Call this each time the app starts. If the `device_uid` is already registered, its push token is replaced. A push token belongs to the last user who registered it. The device receives push notifications until the session that registered it ends.",
    body: schemas.registerDeviceBody,
    status: 201,
    mayExist: true,
    response: device,
    rateLimit: { points: 30, seconds: 60, by: "user" },
    handler: async ({ caller, body }) => {
      const { device, created } = await registerDevice(caller, body);
      return created ? device : new AlreadyExists(device);
    },
  }),
  route({
    ...list,
    id: "listFollowers",
    path: "/users/me/followers",
    summary: "List your followers",
    description: "Newest first. Suspended and deleted accounts are left out.",
    handler: ({ caller, query }) => listFollowers(caller.userId, query),
  }),
  route({
    ...list,
    id: "listFollowing",
    path: "/users/me/following",
    summary: "List users you follow",
    description: "Newest first. Suspended and deleted accounts are left out.",
    handler: ({ caller, query }) => listFollowing(caller.userId, query),
  }),
  route({
    ...list,
    id: "listBlockedUsers",
    path: "/users/me/blocked",
    summary: "List users you blocked",
    description: "Newest first. `is_online` is always false here, because a block hides presence in both directions.",
    handler: ({ caller, query }) => listBlocked(caller.userId, query),
  }),
];

export const usersRoutes = (): Route[] => [
  ...ownRoutes(),
  route({
    ...list,
    id: "searchUsers",
    path: "/users/search",
    summary: "Search users",
    description:
      "Matches usernames and full names, ignoring case, accents, character width, and invisible characters. The exact username comes first, then names that start with the query, then similar names (from three characters on). Without `q`, suggests people whom you don't follow: those followed by people whom you follow, and new ones. Results are capped at a few hundred. Users you blocked, users who blocked you, and you yourself are left out, and so are minors whom the settings hide from those who aren't their friends.",
    query: schemas.searchQuery,
    rateLimit: { points: 120, seconds: 60, by: "user" },
    handler: ({ caller, query }) => searchUsers(caller.userId, query),
  }),
  route({
    ...list,
    id: "listOnlineUsers",
    path: "/users/online",
    summary: "List online users",
    description:
      "Users you follow come first. Users who hide their presence are left out, and so are those you blocked or who blocked you, and minors whom the settings hide from those who aren't their friends. Lists at most 1,000 users, also if more are online.",
    handler: ({ caller, query }) => listOnline(caller.userId, query),
  }),
  route({
    id: "getUser",
    method: "get",
    path: "/users/:id",
    blocks: "profile",
    summary: "Get a user's profile",
    description:
      "Includes your relation to the user. Presence and current room are subject to the user's privacy settings, and are hidden if you blocked the user.",
    params: schemas.userParams,
    response: exampleWith(profile, {
      ...grace,
      bio: "Compilers and clocks.",
      cover_url: null,
      is_following: true,
      friend_status: "incoming",
      created_at: exampleTime(grace.id),
    }),
    handler: ({ caller, params }) => getProfile(caller.userId, params.id),
  }),
  ...relationRoutes(),
];

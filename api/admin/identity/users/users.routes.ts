import { endedSessions, managedUser, managedUserDetails } from "#shared/contracts/views.ts";
import { removeSecondFactorOf } from "#shared/domain/identity/accounts/own-second-factor.ts";
import { reactivateUser, suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { verifyByHand } from "#shared/domain/identity/accounts/verify-by-hand.ts";
import { endUserSessions } from "#shared/domain/identity/sessions/end-user-sessions.ts";
import { unlinkIdentityOf } from "#shared/domain/identity/sign-in/unlink-identity.ts";
import {
  foundMax,
  getManagedUser,
  getUserDetails,
  listUsers,
  readUsers,
} from "#shared/domain/operations/moderation/users.queries.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { listRoute } from "../../list-route.ts";
import * as schemas from "./users.schemas.ts";

const tag = "Users";
const auditOf = (action: string) => ({
  action: `user.${action}`,
  target: ({ params }: { params: { id: string } }) => ({ type: "user", id: params.id }),
});

/** How users log in. */
const accessRoutes = (): AdminRoute[] => [
  adminWrite({
    tag,
    id: "unlinkUserIdentity",
    method: "post",
    path: "/users/:id/unlink-identity",
    summary: "Unlink a user's identity",
    description:
      "The user can no longer log in with it. Sessions that it opened go on until you end them. The last identity can't be unlinked.",
    extension: true,
    permission: "users.write",
    params: schemas.userParams,
    body: schemas.unlinkIdentityBody,
    response: managedUser,
    errors: ["LAST_IDENTITY"],
    audit: auditOf("unlink_identity"),
    handler: async ({ caller, params, body }) => {
      await unlinkIdentityOf(caller, params.id, body);
      return getManagedUser(params.id);
    },
  }),
  adminWrite({
    tag,
    id: "removeUserSecondFactor",
    method: "post",
    path: "/users/:id/remove-second-factor",
    summary: "Remove a user's second factor",
    description:
      "From then on, the password alone logs the user in. For users who have lost their phone and their recovery codes; make sure that it is really them.",
    extension: true,
    permission: "users.write",
    params: schemas.userParams,
    body: schemas.removeFactorBody,
    response: managedUser,
    errors: ["CONFLICT"],
    audit: auditOf("remove_second_factor"),
    handler: async ({ caller, params, body }) => {
      await removeSecondFactorOf(caller, params.id, body.reason);
      return getManagedUser(params.id);
    },
  }),
];

/** Users: who they are, what is theirs, and what ends their access. */
export const usersRoutes = (): AdminRoute[] => [
  ...accessRoutes(),
  listRoute({
    tag,
    id: "listUsers",
    path: "/users",
    summary: "List users",
    description: `A search finds at most ${foundMax.toLocaleString("en")} users by each part of a name. The download has no names, email addresses, or mobile numbers.`,
    permission: "users.read",
    filters: schemas.userFilters,
    sorts: ["-created_at", "username"],
    item: managedUser,
    list: listUsers,
    download: {
      fileName: "users",
      columns: [
        "id",
        "status",
        "country",
        "email_verified",
        "mobile_verified",
        "suspended_until",
        "created_at",
        "last_seen_at",
      ],
      read: readUsers,
    },
  }),
  adminRead({
    tag,
    id: "getUser",
    method: "get",
    path: "/users/:id",
    summary: "Get a user",
    permission: "users.read",
    params: schemas.userParams,
    response: managedUserDetails,
    handler: ({ params }) => getUserDetails(params.id),
  }),
  adminWrite({
    tag,
    id: "suspendUser",
    method: "post",
    path: "/users/:id/suspend",
    summary: "Suspend a user",
    description:
      "Ends all sessions and connections of the user within 2 seconds. A pending deletion of the account waits until the suspension ends. The user is mailed the reason, and may appeal.",
    permission: "users.suspend",
    params: schemas.userParams,
    body: schemas.suspendUserBody,
    response: managedUser,
    errors: ["CONFLICT"],
    audit: auditOf("suspend"),
    handler: async ({ caller, params, body }) => {
      await suspendUser(caller, params.id, body);
      return getManagedUser(params.id);
    },
  }),
  adminWrite({
    tag,
    id: "reactivateUser",
    method: "post",
    path: "/users/:id/reactivate",
    summary: "Reactivate a user",
    description: "Ends a suspension. The user must log in again.",
    permission: "users.suspend",
    params: schemas.userParams,
    response: managedUser,
    errors: ["CONFLICT"],
    audit: auditOf("reactivate"),
    handler: async ({ caller, params }) => {
      await reactivateUser(caller, params.id);
      return getManagedUser(params.id);
    },
  }),
  adminWrite({
    tag,
    id: "endUserSessions",
    method: "post",
    path: "/users/:id/end-sessions",
    summary: "End a user's sessions",
    description: "Logs the user out on all devices. They can log in again.",
    extension: true,
    permission: "users.write",
    params: schemas.userParams,
    response: endedSessions,
    audit: auditOf("end_sessions"),
    handler: async ({ caller, params }) => ({ id: params.id, ended: await endUserSessions(caller, params.id) }),
  }),
  adminWrite({
    tag,
    id: "verifyUser",
    method: "post",
    path: "/users/:id/verify",
    summary: "Verify a user's address",
    description:
      "Without a code. From then on, the address is that account's alone. It earns no signup bonus. Fails if another account has verified it.",
    extension: true,
    permission: "users.write",
    params: schemas.userParams,
    body: schemas.verifyUserBody,
    response: managedUser,
    errors: ["CONFLICT", "EMAIL_TAKEN", "MOBILE_TAKEN"],
    audit: auditOf("verify"),
    handler: async ({ caller, params, body }) => {
      await verifyByHand(caller, params.id, body.address);
      return getManagedUser(params.id);
    },
  }),
];

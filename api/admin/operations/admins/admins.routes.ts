import type { Permission } from "#shared/contracts/permissions.ts";
import { type AdminChanges, createAdmin, updateAdmin } from "#shared/domain/operations/admins/manage-admins.ts";
import { createRole, setRolePermissions } from "#shared/domain/operations/admins/manage-roles.ts";
import { managedAdmins, managedRoles } from "#shared/domain/operations/admins/managed-admins.ts";
import { type AdminRoute, adminWrite } from "../../../http/admin-route.ts";
import { ifMatchHeader, managedReads, versionOf } from "../../managed-routes.ts";
import * as schemas from "./admins.schemas.ts";

const tag = "Administrators";

const roleRoutes = (): AdminRoute[] => [
  ...managedReads(managedRoles, tag),
  adminWrite({
    tag,
    id: "createRole",
    method: "post",
    path: "/roles",
    summary: "Create a role",
    description: "You can only give permissions that your own role has.",
    permission: "roles.write",
    body: schemas.createRoleBody,
    response: schemas.role,
    status: 201,
    errors: ["CONFLICT"],
    audit: { action: "role.create", target: () => ({ type: "role" }) },
    handler: ({ caller, body }) =>
      createRole(caller, { name: String(body.name), permissions: body.permissions as Permission[] }),
  }),
  adminWrite({
    tag,
    id: "setRolePermissions",
    method: "put",
    path: "/roles/:id/permissions",
    summary: "Set a role's permissions",
    description:
      "Takes effect with the next call of each administrator who has this role. You can't change `super_admin`, your own role, or a role with permissions that yours lacks.",
    permission: "roles.write",
    headers: [ifMatchHeader],
    params: schemas.roleParams,
    body: schemas.setPermissionsBody,
    response: schemas.role,
    errors: ["CONFLICT"],
    audit: { action: "role.update", target: ({ params }) => ({ type: "role", id: params.id }) },
    handler: ({ caller, params, body, headers }) =>
      setRolePermissions(caller, params.id, body.permissions as Permission[], versionOf(headers["if-match"])),
  }),
];

/** Roles, and the administrators who have them. */
export const adminsRoutes = (): AdminRoute[] => [
  ...roleRoutes(),
  ...managedReads(managedAdmins, tag),
  adminWrite({
    tag,
    id: "createAdmin",
    method: "post",
    path: "/admins",
    summary: "Create an administrator",
    description: "Their role can't have permissions that yours lacks.",
    extension: true,
    permission: "admins.write",
    body: schemas.createAdminBody,
    response: schemas.admin,
    status: 201,
    errors: ["CONFLICT"],
    audit: { action: "admin.create", target: () => ({ type: "admin" }) },
    handler: ({ caller, body }) => createAdmin(caller, body),
  }),
  adminWrite({
    tag,
    id: "updateAdmin",
    method: "patch",
    path: "/admins/:id",
    summary: "Update an administrator",
    description:
      "Suspending an administrator or setting their password ends their sessions. You can't change your own role or status, an administrator whose role allows more than yours, or the last active super administrator.",
    extension: true,
    permission: "admins.write",
    headers: [ifMatchHeader],
    params: schemas.adminParams,
    body: schemas.updateAdminBody,
    response: schemas.admin,
    errors: ["CONFLICT"],
    audit: { action: "admin.update", target: ({ params }) => ({ type: "admin", id: params.id }) },
    handler: ({ caller, params, body, headers }) =>
      updateAdmin(caller, params.id, body as AdminChanges, versionOf(headers["if-match"])),
  }),
];

import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, listOf, nullable, oneOf, time, union } from "#shared/contracts/fields.ts";
import { superAdminRole } from "#shared/contracts/permissions.ts";
import { adminEmail, permission } from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { AdminModel } from "./admin.model.ts";
import { RoleModel } from "./role.model.ts";

const roleName = () =>
  Joi.string()
    .pattern(/^[a-z][a-z0-9_]{1,39}$/, "2 to 40 characters from a-z, 0-9, and _, beginning with a letter")
    .example("moderator");

export const managedRoles: ManagedResource = {
  resource: "roles",
  name: "role",
  one: "a role",
  many: "roles",
  model: RoleModel,
  fields: {
    name: roleName(),
    permissions: listOf(union(permission(), Joi.string().valid("*")))
      .description(`\`${superAdminRole}\` has \`*\`: all permissions.`)
      .example(["gifts.read", "gifts.write"]),
  },
  defaults: {},
  search: ["name"],
  sorts: ["name", "created_at"],
  exampleId: exampleIds.role,
};

export const managedAdmins: ManagedResource = {
  resource: "admins",
  name: "admin",
  one: "an administrator",
  many: "administrators",
  model: AdminModel,
  fields: {
    email: adminEmail(),
    full_name: line(1, 80, "Root"),
    role_id: id(exampleIds.role),
    status: oneOf("active", "suspended"),
  },
  defaults: { status: "active" },
  shown: { mfa_enabled_at: nullable(time("2026-01-05T09:00:00.000Z")) },
  search: ["email", "full_name"],
  filters: { role_id: id(exampleIds.role), status: oneOf("active", "suspended") },
  sorts: ["email", "full_name", "created_at"],
  exampleId: exampleIds.admin,
};

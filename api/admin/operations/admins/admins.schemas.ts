import { exampleIds } from "#shared/contracts/examples.ts";
import { flag, id, line, listOf, object, oneOf, optional } from "#shared/contracts/fields.ts";
import { adminEmail, permission } from "#shared/contracts/views.ts";
import { recordSchema } from "#shared/domain/base/managed/managed-resource.ts";
import { managedAdmins, managedRoles } from "#shared/domain/operations/admins/managed-admins.ts";
import { newAdminPassword } from "../access/access.schemas.ts";

export const role = recordSchema(managedRoles).meta({ name: "ManagedRole" });
export const admin = recordSchema(managedAdmins).meta({ name: "ManagedAdmin" });

const permissionList = () => listOf(permission()).unique().example(["gifts.read", "gifts.write"]);

export const roleParams = object({ id: id(exampleIds.role) });
export const adminParams = object({ id: id(exampleIds.admin) });

export const createRoleBody = object({ name: managedRoles.fields.name!, permissions: permissionList() }).meta({
  name: "CreateRoleBody",
});
export const setPermissionsBody = object({ permissions: permissionList() }).meta({ name: "SetRolePermissionsBody" });

export const createAdminBody = object({
  email: adminEmail(),
  full_name: line(1, 80, "Grace Hopper"),
  password: newAdminPassword(),
  role_id: id(exampleIds.role),
}).meta({ name: "CreateAdminBody" });

export const updateAdminBody = object({
  full_name: optional(line(1, 80, "Grace Hopper")),
  role_id: optional(id(exampleIds.role)),
  status: optional(oneOf("active", "suspended")),
  password: optional(newAdminPassword()),
  mfa_enabled: optional(
    flag(false).valid(false).description("`false` removes the second factor, such as that of a lost phone."),
  ),
})
  .min(1)
  .meta({ name: "UpdateAdminBody" });

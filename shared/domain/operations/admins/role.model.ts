import { defaulted, defineModel, text, texts } from "#shared/db/model.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

export const RoleModel = defineModel("roles", {
  ...managedColumns,
  name: text(),
  permissions: defaulted(texts()),
});

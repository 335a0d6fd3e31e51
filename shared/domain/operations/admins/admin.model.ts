import { bigint, defaulted, defineModel, nullable, text, time, uuid } from "#shared/db/model.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

/** For the admin API; its description shows neither hashes nor secrets. */
export const AdminModel = defineModel("admins", {
  ...managedColumns,
  email: text(),
  full_name: text(),
  role_id: uuid(),
  status: defaulted(text()),
  password_hash: text(),
  totp_secret: nullable(text()),
  totp_last_step: defaulted(bigint()),
  mfa_enabled_at: { ...nullable(time()), field: "totp_confirmed_at" },
});

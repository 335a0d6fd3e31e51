import type { UserSettings } from "#shared/contracts/views.ts";
import { code, date, defaulted, defineModel, flag, json, key, nullable, text, time, uuid } from "#shared/db/model.ts";
import type { Language } from "#shared/kernel/languages.ts";

/** Accounts. Views of users are SQL, since they show what the viewer may see. */
export const User = defineModel("users", {
  id: key(uuid()),
  username: text(),
  email: nullable(text()),
  mobile: nullable(text()),
  full_name: text(),
  password_hash: nullable(text()),
  date_of_birth: nullable(date()),
  bio: defaulted(text()),
  country: nullable(code(2)),
  avatar_url: nullable(text()),
  cover_url: nullable(text()),
  settings: json<{ readonly [Part in keyof UserSettings]?: Partial<UserSettings[Part]> }>(),
  status: defaulted(text<"active" | "suspended" | "deletion_pending" | "deleted">()),
  suspended_at: nullable(time()),
  suspended_reason: nullable(text()),
  suspended_until: nullable(time()),
  email_verified_at: nullable(time()),
  mobile_verified_at: nullable(time()),
  created_at: defaulted(time()),
  deletion_due_at: nullable(time()),
  username_made: defaulted(flag()),
  is_guest: defaulted(flag()),
  language: nullable(text<Language>()),
});

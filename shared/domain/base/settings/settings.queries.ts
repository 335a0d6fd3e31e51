import type { SettingRecord } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { knownSettings, type SettingKey, settingKeys } from "./known-settings.ts";
import { setting, settingDefault } from "./settings.ts";

/** Returns all settings as administrators see them, in their order. */
export async function listSettings(): Promise<SettingRecord[]> {
  const rows = await query<Pick<SettingRecord, "key" | "version" | "updated_at" | "updated_by">>(
    "SELECT key, version, updated_at, updated_by FROM settings",
  );
  const changes = new Map(rows.map((row) => [row.key, row]));
  return settingKeys.map((key) => ({
    key,
    type: typeOf(key),
    value: setting(key) as SettingRecord["value"],
    default: settingDefault(key) as SettingRecord["default"],
    description: knownSettings[key].description,
    version: changes.get(key)?.version ?? 0,
    updated_at: changes.get(key)?.updated_at ?? null,
    updated_by: changes.get(key)?.updated_by ?? null,
  }));
}

const types = { boolean: "boolean", number: "integer", string: "string", array: "list" } as const;

const typeOf = (key: SettingKey): SettingRecord["type"] =>
  types[knownSettings[key].schema.describe().type as keyof typeof types];

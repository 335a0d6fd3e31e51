import Joi from "joi";
import { checkInput } from "#shared/contracts/check-input.ts";
import type { AdminPrincipal, Principal } from "#shared/contracts/principal.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { knownSettings, type SettingKey, type Settings, settingKeys } from "./known-settings.ts";
import { rememberSettings, settingDefault } from "./settings.ts";

/** Known keys with values of their types; at least one. */
export const settingsInput = Joi.object<Partial<Settings>>(
  Object.fromEntries(settingKeys.map((key) => [key, knownSettings[key].schema])),
)
  .min(1)
  .example({ app_name: "Hubbub" })
  .description("Requires at least one setting.");

/** What users are told is part of keeping them out. */
const maintenanceKeys = ["maintenance_mode", "maintenance_message"] as const;

function assertMayMaintain({ permissions }: AdminPrincipal, changes: Partial<Settings>): void {
  const key = maintenanceKeys.find((each) => changes[each] !== undefined);
  if (key && !permissions.includes("system.maintenance"))
    throw new DomainError("FORBIDDEN", "Changing {{key}} requires the permission system.maintenance.", {
      values: { key },
    });
}

/**
 * Changes one or more settings, in every process. An administrator's changes are audited, each by its key. `version` is
 * the highest that the caller has seen.
 * @throws VALIDATION_ERROR for an unknown key or an invalid value, FORBIDDEN, CONFLICT with those of the settings that
 *   were changed since; then none is changed
 */
export async function changeSettings(
  principal: Principal,
  changes: Partial<Settings>,
  version?: number,
): Promise<void> {
  const checked = checkInput(settingsInput, changes);
  if (principal.kind === "admin") assertMayMaintain(principal, checked);

  await inTransaction(async (tx) => {
    // Changes take turns, so that each sees those before it, and versions rise in the order of the commits.
    await tx.query("LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE");
    if (version !== undefined) await assertUnchanged(tx, Object.keys(checked), version);
    const changed = await tx.query<{ key: SettingKey; before: unknown; after: unknown }>(
      `WITH before AS (SELECT key, value FROM settings), changed AS (
         INSERT INTO settings (key, value, updated_by) SELECT key, value, $2 FROM jsonb_each($1::jsonb)
         ON CONFLICT (key) DO UPDATE
           SET value = EXCLUDED.value, updated_at = now(), updated_by = EXCLUDED.updated_by, version = EXCLUDED.version
         RETURNING key, value
       )
       SELECT key, before.value AS before, changed.value AS after FROM changed LEFT JOIN before USING (key)`,
      [JSON.stringify(checked), principal.kind === "admin" ? principal.adminId : null],
    );
    for (const { key, before, after } of changed)
      await tx.audit(principal, {
        action: "setting.change",
        target: { type: "setting", id: key },
        before: { value: before ?? settingDefault(key) },
        after: { value: after },
      });

    await tx.signal("settings.changed", {});
    tx.afterCommit(() => rememberSettings(checked));
  });
}

/** @throws CONFLICT */
async function assertUnchanged(tx: Tx, keys: readonly string[], version: number): Promise<void> {
  const since = await tx.query<{ key: string; value: unknown }>(
    "SELECT key, value FROM settings WHERE key = ANY($1) AND version > $2 ORDER BY key",
    [keys, version],
  );
  if (since.length === 0) return;
  const details = since.map(({ key, value }) => ({ field: key, message: `${key} is now ${JSON.stringify(value)}` }));
  throw new DomainError("CONFLICT", "The settings have changed since version {{version}}.", {
    details,
    values: { version },
  });
}

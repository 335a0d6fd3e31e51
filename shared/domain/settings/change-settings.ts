import Joi from "joi";
import { checkInput } from "#shared/contracts/check-input.ts";
import type { Principal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { knownSettings, type SettingKey, type Settings, settingKeys } from "./known-settings.ts";
import { rememberSettings, settingDefault } from "./settings.ts";

/** Known keys with values of their types; at least one. */
export const settingsInput = Joi.object<Partial<Settings>>(
  Object.fromEntries(settingKeys.map((key) => [key, knownSettings[key].schema])),
)
  .min(1)
  .description("Requires at least one setting.");

/**
 * Changes one or more settings, in every process. An administrator's changes are audited, each by its key.
 * @throws VALIDATION_ERROR for an unknown key or an invalid value; then none is changed
 */
export async function changeSettings(principal: Principal, changes: Partial<Settings>): Promise<void> {
  const checked = checkInput(settingsInput, changes);
  await inTransaction(async (tx) => {
    const changed = await tx.query<{ key: SettingKey; before: unknown; after: unknown }>(
      `INSERT INTO settings (key, value) SELECT key, value FROM jsonb_each($1::jsonb)
       ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()
       RETURNING key, old.value AS before, new.value AS after`,
      [JSON.stringify(checked)],
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

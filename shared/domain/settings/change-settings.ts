import Joi from "joi";
import { checkInput } from "#shared/contracts/check-input.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { knownSettings, type Settings, settingKeys } from "./known-settings.ts";
import { rememberSettings } from "./settings.ts";

/** Known keys, each of its type; at least one. */
export const settingsInput = Joi.object<Partial<Settings>>(
  Object.fromEntries(settingKeys.map((key) => [key, knownSettings[key].schema])),
)
  .min(1)
  .description("At least one setting.");

/**
 * Sets one or more settings, for every process.
 * @throws VALIDATION_ERROR for an unknown key or a value that does not fit; then none is set.
 */
export async function changeSettings(changes: Partial<Settings>): Promise<void> {
  const checked = checkInput(settingsInput, changes);
  await inTransaction(async (tx) => {
    await tx.query(
      `INSERT INTO settings (key, value) SELECT key, value FROM jsonb_each($1::jsonb)
       ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`,
      [JSON.stringify(checked)],
    );
    await tx.signal("settings.changed", {});
    tx.afterCommit(() => rememberSettings(checked));
  });
}

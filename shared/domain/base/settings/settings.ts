import { keepCurrent } from "#shared/db/keep-current.ts";
import { query } from "#shared/db/query.ts";
import { logger } from "#shared/kernel/logger.ts";
import {
  defaultSettings,
  developmentSettings,
  knownSettings,
  type SettingKey,
  type Settings,
} from "./known-settings.ts";

let defaults = defaultSettings;

/** This process's copy of the settings: read at start, and again whenever a process has changed one. */
let current: Settings = defaults;

/** How often this process changed settings itself, so that a result read before such a change isn't taken. */
let ownChanges = 0;

/** Chooses the defaults; called at the start, before settings are read. */
export function configureSettings({ production }: { production: boolean }): void {
  defaults = production ? defaultSettings : { ...defaultSettings, ...developmentSettings };
  current = defaults;
}

/** Returns the value of a setting that no administrator has changed. */
export const settingDefault = <K extends SettingKey>(key: K): Settings[K] => defaults[key];

/**
 * Returns the current value of a setting, from memory: it costs nothing, and follows a change anywhere within moments.
 */
export const setting = <K extends SettingKey>(key: K): Settings[K] => current[key];

/** Applies a change that a transaction of this process has just committed, so that its caller sees it at once. */
export function rememberSettings(changes: Partial<Settings>): void {
  current = { ...current, ...changes };
  ownChanges += 1;
}

/** Reads all settings. Skips a stored value that is no longer valid, with a warning, so that the default applies. */
export const loadSettings = keepCurrent("settings.changed", readSettings);

async function readSettings(): Promise<void> {
  const before = ownChanges;
  const rows = await query<{ key: string; value: unknown }>("SELECT key, value FROM settings");
  if (before !== ownChanges) return readSettings();
  const stored: Record<string, unknown> = {};
  for (const { key, value } of rows) {
    const known = Object.hasOwn(knownSettings, key) ? knownSettings[key as SettingKey] : undefined;
    if (known && !known.schema.validate(value).error) stored[key] = value;
    else logger.warn({ setting: key }, "a stored setting is unknown or invalid; it is skipped");
  }
  current = { ...defaults, ...stored };
}

import { currentLanguage, t } from "./texts.ts";

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** `2 min. ago`, or `now`. */
export function ago(time: string): string {
  const seconds = (Date.parse(time) - Date.now()) / 1000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  const relative = new Intl.RelativeTimeFormat(`${currentLanguage()}-u-nu-latn`, { numeric: "auto", style: "short" });
  return unit ? relative.format(Math.round(seconds / unit[1]), unit[0]) : t("now");
}

export const clockTime = (time: string | number): string =>
  new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

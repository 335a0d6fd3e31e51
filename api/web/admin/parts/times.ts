/** `2026-01-31T12:00:00.000Z` → `2026-01-31T13:00`, as an input of the browser's time zone has it. */
export function toLocalInput(time: unknown): string {
  if (typeof time !== "string" || time === "") return "";
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The inverse of `toLocalInput`. Empty if it is no time. */
export function fromLocalInput(text: string): string {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

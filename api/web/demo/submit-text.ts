import type { FormEvent } from "react";

/**
 * Sends what a field of a form says, and empties it then, unless something else was typed meanwhile. Returns whether it
 * was sent.
 */
export async function submitText(
  event: FormEvent<HTMLFormElement>,
  field: string,
  send: (text: string) => Promise<boolean>,
): Promise<boolean> {
  event.preventDefault();
  const form = event.currentTarget;
  const textOf = () => String(new FormData(form).get(field)).trim();
  const text = textOf();
  if (!text || !(await send(text))) return false;
  if (textOf() === text) form.reset();
  return true;
}

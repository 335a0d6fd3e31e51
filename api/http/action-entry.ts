import type { ActionSpec } from "#shared/contracts/actions.ts";
import { without } from "#shared/contracts/fields.ts";

/**
 * Returns what the REST form of an action has from the action's table: its texts, body, response and errors. `id` names
 * the operation, `inPath` the fields of the payload that are in the path, `note` a sentence added to the description.
 */
export function actionEntry(
  id: string,
  { payload, reply, blocks, errors, summary, description, by }: ActionSpec,
  inPath: readonly string[],
  note?: string,
) {
  const body = without(payload, ...inPath);
  const bodyName = `${id.charAt(0).toUpperCase()}${id.slice(1)}Body`;
  return {
    id,
    summary,
    description: [description, note, `Allowed for ${by}.`].filter(Boolean).join(" "),
    ...(body && { body: body.meta({ name: bodyName }) }),
    response: reply,
    ...(blocks && { blocks }),
    errors,
  };
}

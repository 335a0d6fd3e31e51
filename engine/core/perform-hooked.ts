import type Joi from "joi";
import type { ActorKind } from "#shared/contracts/actors.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import { clientEvents, isClientEvent } from "#shared/contracts/client-events.ts";
import { type HooksOfTarget, runAfter, runBefore } from "#shared/extension/hooks.ts";
import type { Command } from "./command.ts";

/** The name of an actor's ID in payloads, such as `room_id` of a `voice_room`. */
const idNameOf = (kind: ActorKind): string => `${kind.split("_").at(-1)}_id`;

interface HookedCommand extends Command {
  readonly kind: ActorKind;
  /** Of the actor. */
  readonly id: string;
}

/** Performs an action of a user that has hooks: those before it may change its payload. */
export async function performHooked<T>(
  { before, after }: HooksOfTarget,
  { id, ...command }: HookedCommand,
  perform: (command: Command) => Promise<T>,
): Promise<T> {
  const { principal, action, kind } = command;
  const named = { [idNameOf(kind)]: id };
  let input = command.input as object;
  const about = { name: action, caller: principal };
  await runBefore(before, { ...about, input: { ...named, ...input } }, (changes) => {
    const changed = { ...input, ...changes };
    // What has no payload of a client is not checked again.
    if (isClientEvent(action))
      checkInput<object>(clientEvents[action].payload as Joi.ObjectSchema, { ...changed, ...named });
    input = changed;
    return { ...named, ...input };
  });
  const result = await perform({ ...command, input });
  runAfter(after, { ...about, input: { ...named, ...input }, result });
  return result;
}

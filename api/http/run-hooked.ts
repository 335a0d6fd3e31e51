import { type HooksOfTarget, runAfter, runBefore } from "#shared/extension/hooks.ts";
import { inputOf, type RawCall, type Route } from "./route.ts";

/** Runs an operation that has hooks: those before it may change its body, or its query if it reads. */
export async function runHooked(
  { before, after }: HooksOfTarget,
  route: Route,
  raw: RawCall,
): ReturnType<Route["run"]> {
  const part = route.method === "get" ? "query" : "body";
  let call = raw;
  let input = inputOf(route, raw);
  const about = { name: route.id, caller: raw.caller };

  await runBefore(before, { ...about, input }, (changes) => {
    const changed = { ...call, [part]: { ...(call[part] as object | undefined), ...changes } };
    input = inputOf(route, changed);
    call = changed;
    return input;
  });
  const answer = await route.run({ ...call, checked: input });
  runAfter(after, { ...about, input, result: answer.data });
  return answer;
}

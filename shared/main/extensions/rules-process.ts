import { registerHooks } from "node:module";
import { SeededRandom } from "#shared/domain/live/games/random.ts";
import type { AnyRules } from "#shared/extension/game.ts";
import { performRules, type RulesRequest, type Seen } from "#shared/extension/perform-rules.ts";
import { DomainError, type Failure } from "#shared/kernel/domain-error.ts";

/** What the process of rules is asked: `drawn` numbers of the seed have been drawn before. */
export type Asked = RulesRequest & { readonly seed: string; readonly drawn: number };

/** What it answers; the first answer says that the rules have loaded. */
export type Answered =
  | { readonly seen?: Seen; readonly draws?: SeededRandom["draws"] }
  | { readonly refused: Failure }
  | { readonly failed: string };

/** Runs the rules of a stranger: they have the language itself, and nothing of Node. */
const { argv, exit } = process;
const answer = process.send!.bind(process) as (answered: Answered) => void;
const listen = process.on.bind(process);
const [module, port] = argv.slice(2) as [string, string];
const folder = new URL(".", module).href;

registerHooks({
  resolve: (specifier, context, next) => {
    if (!context.parentURL?.startsWith(folder)) return next(specifier, context);
    if (specifier === "#shared/extension/game.ts") return { url: port, shortCircuit: true };
    const found = /^\.{0,2}\//.test(specifier) ? next(specifier, context) : undefined;
    if (!found?.url.startsWith(folder)) throw new Error(`rules can't import ${specifier}`);
    return found;
  },
});

/** What rules may use: not what allocates beyond the heap, reads, calls, or waits. */
const language = new Set(
  `Object Function Array Number Boolean String Symbol Date Promise RegExp Math Intl JSON BigInt Map Set WeakMap WeakSet
   Proxy Reflect Iterator Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError
   parseFloat parseInt isFinite isNaN Infinity NaN undefined globalThis decodeURI decodeURIComponent encodeURI
   encodeURIComponent structuredClone`.split(/\s+/),
);
for (const name of Object.getOwnPropertyNames(globalThis))
  if (!language.has(name)) delete (globalThis as Record<string, unknown>)[name];

function perform(rules: AnyRules, { seed, drawn, ...request }: Asked): Answered {
  const random = new SeededRandom(seed, Array(drawn));
  const seen = performRules(rules, request, random);
  return { seen, draws: random.draws.slice(drawn) };
}

const textOf = (error: unknown): string => String((error as Error)?.message ?? error).slice(0, 500);
try {
  const { default: rules } = (await import(module)) as { default: AnyRules };
  listen("message", (asked: Asked) => {
    try {
      answer(perform(rules, asked));
    } catch (error) {
      answer(error instanceof DomainError ? { refused: error.toFailure() } : { failed: textOf(error) });
    }
  });
  listen("disconnect", () => exit());
  answer({});
} catch (error) {
  answer({ failed: textOf(error) });
}

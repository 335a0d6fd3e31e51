import type { Client } from "pg";
import { SpanKind, traceStep } from "#shared/kernel/tracing.ts";

type Query = (statement: unknown, ...rest: unknown[]) => Promise<unknown> | undefined;

/** Makes each statement of a connection a span of the call that sends it, with its text, never its values. */
export function traceStatements(client: Client): void {
  const run = client.query.bind(client) as Query;
  const traced: Query = (statement, ...rest) => {
    const text = typeof statement === "string" ? statement : ((statement as { text?: string }).text ?? "");
    const end = traceStep(text.trimStart().split(/\s/, 1)[0]!.toUpperCase(), {
      kind: SpanKind.CLIENT,
      attributes: { "db.system.name": "postgresql", "db.query.text": text },
    });
    if (!end) return run(statement, ...rest);
    const callback = rest.at(-1);
    if (typeof callback === "function")
      return run(statement, ...rest.slice(0, -1), (error: unknown, result: unknown) => {
        end(error);
        callback(error, result);
      });
    const answer = run(statement, ...rest);
    answer?.then(() => end(), end);
    return answer;
  };
  client.query = traced as Client["query"];
}

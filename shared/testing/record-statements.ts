import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { onStatement } from "./statements.ts";

/**
 * Loaded by mocha for `npm run release:record`: writes the statements that the service sends during the tests to a file
 * of this process in the folder named by `STATEMENTS`, a line of JSON each. Leaves out those that tests send
 * themselves.
 */
const file = join(process.env.STATEMENTS ?? "", `${process.pid}.jsonl`);
const seen = new Set<string>();
const framesMax = 50;

/** Whether the code that sends the current statement, below the layer that all statements pass, is a test's. */
function isOfTest(): boolean {
  Error.stackTraceLimit = framesMax;
  const { stack = "" } = new Error("where");
  const frames = stack.split("\n").filter((frame) => /\/(api|engine|shared|loadtest)\//.test(frame));
  const sender = frames.find(
    (frame) => !/\/shared\/(db\/(?!migrate\.ts|.*\.test\.ts)|testing\/(record-)?statements\.ts)/.test(frame),
  );
  return sender !== undefined && /\.test\.ts|\/shared\/testing\//.test(sender);
}

onStatement((text) => {
  if (!/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text) || seen.has(text) || isOfTest()) return;
  seen.add(text);
  appendFileSync(file, `${JSON.stringify(text)}\n`);
});

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";

/**
 * Reads a password from stdin if `piped`, else prompts for one in the terminal without showing it. Never from an
 * argument, which all users of the machine can see. Returns an empty string if none is given, or without a terminal.
 */
export async function readPassword(piped: boolean): Promise<string> {
  if (piped) return (await text(process.stdin)).replace(/\r?\n$/, "");
  if (!process.stdin.isTTY) return "";
  process.stderr.write("Password (leave empty to generate one): ");
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  const answer = await terminal.question("");
  terminal.close();
  process.stderr.write("\n");
  return answer;
}

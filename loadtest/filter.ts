import { compileRules, type Rule } from "#shared/domain/base/filter/compile-rules.ts";
import { judge, median, printTable, say } from "./report.ts";

interface Options {
  words: number;
  disguises: number;
  rounds: number;
}

/** Microseconds that a check may take: of a message of 200 characters, and of the longest. */
const targets: readonly (readonly [characters: number, us: number])[] = [
  [200, 20],
  [1000, 200],
];
const calls = 5000;

/** A number that looks random and is the same in each run. */
const chance = (n: number): number => (Math.imul(n ^ (n >>> 15), 2_654_435_761) >>> 0) / 2 ** 32;

const letters = "abcdefghiklmnopqrstuvwz";
/** An invented word of five to nine letters, such as no clean text has. */
const wordOf = (n: number): string =>
  Array.from({ length: 5 + Math.floor(chance(n) * 5) }, (_, at) =>
    letters.charAt(Math.floor(chance(n * 31 + at) * letters.length)),
  ).join("");

const each = (word: string, change: (letter: string, at: number) => string): string => [...word].map(change).join("");
const swapped = (table: Readonly<Record<string, string>>) => (word: string) =>
  each(word, (letter) => table[letter] ?? letter);

/** How people hide a word. */
const disguises: Readonly<Record<string, (word: string, n: number) => string>> = {
  capitals: (word) => each(word, (letter, at) => (at % 2 ? letter.toUpperCase() : letter)),
  width: (word) => each(word, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0)),
  accents: (word, n) => each(word, (letter, at) => letter + (chance(n + at) < 0.4 ? "\u0301" : "")),
  "zero width": (word, n) => each(word, (letter, at) => (chance(n + at) < 0.5 ? "\u200b" : "") + letter),
  digits: swapped({ o: "0", i: "1", e: "3", a: "4", s: "5", t: "7", b: "8" }),
  symbols: (word) => word.replace(/(?<=.)[as](?=.)/g, (letter) => (letter === "a" ? "@" : "$")),
  "look-alikes": swapped({ a: "а", c: "с", e: "е", o: "о", p: "р", i: "і", s: "ѕ" }),
  repeated: (word, n) => each(word, (letter, at) => letter.repeat(chance(n + at) < 0.3 ? 3 : 1)),
  dots: (word) => [...word].join("."),
  spaces: (word) => [...word].join(" "),
  "one hyphen": (word) => `${word.slice(0, 2)}-${word.slice(2)}`,
  bold: (word) => each(word, (letter) => String.fromCodePoint(letter.codePointAt(0)! - 97 + 0x1d41a)),
};

/** Measures what a check of a text costs, and how many disguised words it finds. */
export async function filter({ words: count, disguises: tries, rounds }: Options): Promise<void> {
  const words = Array.from({ length: count }, (_, n) => wordOf(n));
  const rule: Rule = {
    id: "bench",
    version: 1,
    name: "Bench",
    scope: { kind: "service" },
    trigger: { kind: "words", words, allow: [] },
    action: { kind: "block", text: "No." },
  };
  const { find } = compileRules([rule]);

  const text = "The quick brown fox jumps over the lazy dog, and runs far away from home. ".repeat(20);
  const rows = targets.map(([characters, target]) => {
    const sample = text.slice(0, characters);
    const times = Array.from({ length: rounds + 1 }, () => timeOf(() => find(sample, {}))).slice(1);
    return { characters, "µs per check": median(times), target };
  });
  printTable(rows.map((row) => ({ ...row, "µs per check": row["µs per check"].toFixed(1) })));
  for (const { characters, target, ...row } of rows)
    judge(
      `${characters} characters, ${count} words: ${row["µs per check"].toFixed(1)} µs (target: at most ${target})`,
      row["µs per check"] <= target,
    );

  const missed = new Map<string, number>();
  const ways = Object.entries(disguises);
  for (let n = 0; n < tries; n += 1) {
    const [way, hide] = ways[n % ways.length]!;
    const hidden = hide(words[Math.floor(chance(n) * words.length)]!, n);
    if (find(`you are ${hidden} today`, {}).length === 0) missed.set(way, (missed.get(way) ?? 0) + 1);
  }
  for (const [way, n] of missed) say(`  missed ${n} by ${way}`);
  const lost = [...missed.values()].reduce((sum, n) => sum + n, 0);
  const share = (100 * (tries - lost)) / tries;
  judge(`${share.toFixed(2)} % of ${tries} disguised words found (target: at least 99 %)`, share >= 99);
}

function timeOf(work: () => unknown): number {
  const began = process.hrtime.bigint();
  for (let call = 0; call < calls; call += 1) work();
  return Number(process.hrtime.bigint() - began) / calls / 1000;
}

import { compileRules, type Rule } from "#shared/domain/base/filter/compile-rules.ts";
import { startingLists } from "#shared/domain/operations/rules/starting-lists.ts";
import { fetchCleanCorpus } from "./clean-corpus.ts";
import { judge, median, printTable, say } from "./report.ts";

interface Options {
  words: number;
  disguises: number;
  rounds: number;
  sentences: number;
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
export const inventedWord = (n: number): string =>
  Array.from({ length: 5 + Math.floor(chance(n) * 5) }, (_, at) =>
    letters.charAt(Math.floor(chance(n * 31 + at) * letters.length)),
  ).join("");

/** Letters with their vowel signs. */
const lettersIn = (word: string): string[] => word.match(/\P{M}\p{M}*/gu) ?? [];
const each = (word: string, change: (letter: string, at: number) => string): string =>
  lettersIn(word).map(change).join("");
const isLatin = (letter: string): boolean => letter >= "a" && letter <= "z";
const swapped = (table: Readonly<Record<string, string>>) => (word: string) =>
  each(word, (letter) => table[letter] ?? letter);

/** How people hide a word. */
const disguises: Readonly<Record<string, (word: string, n: number) => string>> = {
  capitals: (word) => each(word, (letter, at) => (at % 2 ? letter.toUpperCase() : letter)),
  width: (word) =>
    each(word, (letter) => (isLatin(letter) ? String.fromCodePoint(letter.codePointAt(0)! + 0xfee0) : letter)),
  accents: (word, n) => each(word, (letter, at) => letter + (chance(n + at) < 0.4 ? "\u0301" : "")),
  "zero width": (word, n) => each(word, (letter, at) => (chance(n + at) < 0.5 ? "\u200b" : "") + letter),
  digits: swapped({ o: "0", i: "1", e: "3", a: "4", s: "5", t: "7", b: "8" }),
  symbols: (word) => word.replace(/(?<=.)[as](?=.)/g, (letter) => (letter === "a" ? "@" : "$")),
  "look-alikes": swapped({ a: "а", c: "с", e: "е", o: "о", p: "р", i: "і", s: "ѕ" }),
  repeated: (word, n) =>
    each(word, (letter, at) => letter + (letter.at(-1) ?? "").repeat(chance(n + at) < 0.3 ? 2 : 0)),
  dots: (word) => lettersIn(word).join("."),
  spaces: (word) => lettersIn(word).join(" "),
  "one hyphen": (word) =>
    [lettersIn(word).slice(0, 2), lettersIn(word).slice(2)]
      .map((some) => some.join(""))
      .filter(Boolean)
      .join("-"),
  bold: (word) =>
    each(word, (letter) => (isLatin(letter) ? String.fromCodePoint(letter.codePointAt(0)! - 97 + 0x1d41a) : letter)),
};

/** Measures what a check of a text costs, and how many disguised words it finds. */
export async function filter({ words: count, disguises: tries, rounds, sentences }: Options): Promise<void> {
  const words = Array.from({ length: count }, (_, n) => inventedWord(n));
  const { find } = compileRules([ruleOf(words, [])]);

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

  hideAndSeek(`${count} invented words`, words, { tries, find });
  for (const [language, { words: listed, allow }] of Object.entries(startingLists))
    hideAndSeek(`the list of ${language}`, listed, { tries, find: compileRules([ruleOf(listed, allow ?? [])]).find });
  await readClean(sentences);
}

const ruleOf = (words: readonly string[], allow: readonly string[]): Rule => ({
  id: "bench",
  version: 1,
  name: "Bench",
  scope: { kind: "service" },
  trigger: { kind: "words", words: [...words], allow: [...allow] },
  action: { kind: "block", text: "No." },
});

type Find = ReturnType<typeof compileRules>["find"];

/** Hides words of a list, and looks for them. Of a phrase, each word is hidden. */
function hideAndSeek(
  name: string,
  listed: readonly string[],
  { tries, find }: { readonly tries: number; readonly find: Find },
): void {
  const missed = new Map<string, number>();
  const ways = Object.entries(disguises);
  for (let n = 0; n < tries; n += 1) {
    const [way, hide] = ways[n % ways.length]!;
    const words = listed[Math.floor(chance(n) * listed.length)]!.replaceAll("*", "").split(" ");
    // Pulled apart, the words of a phrase would become one: the longest is. Words of two letters aren't hidden.
    const longest = words.reduce((one, other) => (other.length > one.length ? other : one));
    const stays = (word: string) => lettersIn(word).length < 3 || (way === "spaces" && word !== longest);
    const hidden = words.map((word) => (stays(word) ? word : hide(word, n))).join(" ");
    if (find(`you are ${hidden} today`, {}).length === 0) missed.set(way, (missed.get(way) ?? 0) + 1);
  }
  for (const [way, n] of missed) say(`  missed ${n} by ${way}`);
  const lost = [...missed.values()].reduce((sum, n) => sum + n, 0);
  const share = (100 * (tries - lost)) / tries;
  judge(`${share.toFixed(2)} % of ${tries} disguises of ${name} found (target: at least 99 %)`, share >= 99);
}

/** Reads clean sentences by all starting lists at once. */
async function readClean(count: number): Promise<void> {
  const { find } = compileRules(Object.values(startingLists).map(({ words, allow }) => ruleOf(words, allow ?? [])));
  const corpus = await fetchCleanCorpus(count);
  const rows = Array.from(corpus.sentences, ([language, texts]) => {
    const found = texts.flatMap((text) =>
      find(text, {})
        .slice(0, 1)
        .map(({ from, to }) => text.slice(from, to)),
    );
    return { language, sentences: texts.length, held: found.length, such: [...new Set(found)].slice(0, 5).join(", ") };
  });
  printTable(rows);
  const [all, held] = [rows.reduce((sum, row) => sum + row.sentences, 0), rows.reduce((sum, row) => sum + row.held, 0)];
  const share = (100 * held) / all;
  judge(`${share.toFixed(3)} % of ${all} clean sentences held (target: at most 0.1 %; ${corpus.name})`, share <= 0.1);
}

function timeOf(work: () => unknown): number {
  const began = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / calls;
}

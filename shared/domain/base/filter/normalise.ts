/**
 * A text as rules compare it: words of plain letters with one space around each, without accents, look-alikes, digits
 * for letters, and repeated letters. The position of each character in the original is kept, to mask it.
 */
export interface Normalised {
  readonly text: string;
  /** How often each letter stood there: `baaad` is `bad` with 1, 3, 1. */
  readonly runs: readonly number[];
  /** Where each character begins in the original, and where it ends. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** The letters of a text as they are read, and where each stands. */
interface Letters {
  readonly chars: string[];
  readonly from: number[];
  readonly to: number[];
}

/** A word: a range of the letters. */
interface Word {
  readonly start: number;
  readonly end: number;
  /** A space, and not only punctuation, stands before it. */
  readonly isApart: boolean;
}

/** Letters of other scripts that look like Latin ones, and Latin ones that NFKD leaves as they are. */
const lookAlikes: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["a", "аαɑаᴀ"],
    ["b", "ьвʙ"],
    ["c", "сϲᴄ"],
    ["d", "ԁɗđ"],
    ["e", "еєεҽ"],
    ["g", "ɡց"],
    ["h", "һнհ"],
    ["i", "іιıӏlłℓ"],
    ["j", "јϳ"],
    ["k", "кκ"],
    ["m", "мᴍ"],
    ["n", "пηո"],
    ["o", "оοօσøσ"],
    ["p", "рρ"],
    ["q", "ԛ"],
    ["r", "гʀ"],
    ["s", "ѕʂꜱ"],
    ["t", "тτ"],
    ["u", "υսμ"],
    ["v", "ѵν"],
    ["w", "ԝωш"],
    ["x", "хχ"],
    ["y", "уγү"],
    ["z", "ᴢ"],
  ].flatMap(([letter, others]) => [...others!].map((other) => [other, letter!])),
);

const digits: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "6": "g", "7": "t", "8": "b", "9": "g" },
};
/** Symbols that stand for a letter where one is beside them. */
const symbols: Readonly<Record<string, string>> = { "@": "a", $: "s", "€": "e", "!": "i", "|": "i", "¡": "i" };

const letterOrDigit = /[\p{L}\p{N}]/u;
/** Vowel signs of Indic scripts and the like are part of a word; accents and Arabic vowel marks aren't. */
const dropped = /\p{Cf}|[\u0300-\u036f]|\u0640|[\u064b-\u065f]|\u0670|[\ufe00-\ufe0f]/u;
const mark = /\p{M}/u;

/** What a character is to a word, as it is read first: its letters, "" to be skipped, undefined between words. */
const known = new Map<string, string | undefined>();
const knownMax = 20_000;

function lettersOf(char: string): string | undefined {
  if (known.has(char)) return known.get(char);
  let letters: string | undefined = "";
  for (const part of char.normalize("NFKD").toLowerCase().normalize("NFKD")) {
    if (dropped.test(part)) continue;
    const plain = lookAlikes[part] ?? part;
    letters = letterOrDigit.test(plain) || mark.test(plain) ? letters + plain : undefined;
    if (letters === undefined) break;
  }
  if (known.size < knownMax) known.set(char, letters);
  return letters;
}

/** Those of ASCII: nearly all of most texts. */
const ascii = Array.from({ length: 128 }, (_, code) => lettersOf(String.fromCharCode(code)));

/** A symbol within a word stands for a letter; `!` at its end doesn't. */
const symbolIn = (text: string, char: string, from: number): string | undefined =>
  char !== " " &&
  char in symbols &&
  letterOrDigit.test(text[from + char.length] ?? "") &&
  !/[.!?]/.test(text[from - 1] ?? "")
    ? symbols[char]
    : undefined;

function put({ chars, from, to }: Letters, letter: string, begin: number, end: number): void {
  chars.push(letter);
  from.push(begin);
  to.push(end);
}

/** Reads the words of a text. */
function read(text: string): { readonly letters: Letters; readonly words: readonly Word[] } {
  const letters: Letters = { chars: [], from: [], to: [] };
  const words: Word[] = [];
  let start = 0;
  let isApart = true;
  for (let from = 0; from < text.length; ) {
    const code = text.charCodeAt(from);
    const char = code < 128 ? text[from]! : String.fromCodePoint(text.codePointAt(from)!);
    const to = from + char.length;
    const found = (code < 128 ? ascii[code] : lettersOf(char)) ?? symbolIn(text, char, from);
    if (found === undefined) {
      if (letters.chars.length > start) {
        words.push({ start, end: letters.chars.length, isApart });
        start = letters.chars.length;
        isApart = false;
      }
      isApart ||= code === 32 || /\s/.test(char);
    } else if (found.length === 1) put(letters, found, from, to);
    else for (const letter of found) put(letters, letter, from, to);
    from = to;
  }
  if (letters.chars.length > start) words.push({ start, end: letters.chars.length, isApart });
  return { letters, words };
}

/**
 * Words that may be one that was pulled apart: by punctuation (`b.a.d`, `ba-d`), or letter by letter (`b a d`). Runs of
 * at least two and three of them.
 */
function joinedWords(words: readonly Word[]): Word[] {
  const joined = new Map<string, Word>();
  const add = (first: number, end: number, least: number) => {
    if (end - first < least) return;
    const word = { start: words[first]!.start, end: words[end - 1]!.end, isApart: true };
    joined.set(`${word.start} ${word.end}`, word);
  };
  let close = 0;
  let single = 0;
  for (const [index, { start, end, isApart }] of words.entries()) {
    if (isApart) {
      add(close, index, 2);
      close = index;
    }
    if (end - start > 1) {
      add(single, index, 3);
      single = index + 1;
    }
  }
  add(close, words.length, 2);
  add(single, words.length, 3);
  return [...joined.values()];
}

const isDigit = (char: string): boolean => char >= "0" && char <= "9";

/** Returns a text as rules compare it. Words that were pulled apart come again at its end, as one. */
export function normalise(text: string): Normalised {
  const { letters, words } = read(text);
  const [runs, from, to]: [number[], number[], number[]] = [[1], [0], [0]];
  let plain = " ";
  const add = ({ start, end }: Word) => {
    // Digits beside letters stand for letters; a number stays one.
    let isNumber = true;
    for (let index = start; index < end && isNumber; index += 1) isNumber = isDigit(letters.chars[index]!);
    let last = "";
    for (let index = start; index < end; index += 1) {
      const read = letters.chars[index]!;
      const letter = isNumber || !isDigit(read) ? read : (digits[read] ?? read);
      // A letter may be two units.
      for (let unit = 1; unit <= letter.length; unit += 1) {
        if (letter === last) {
          runs[runs.length - unit]! += 1;
          to[to.length - unit] = letters.to[index]!;
          continue;
        }
        runs.push(1);
        from.push(letters.from[index]!);
        to.push(letters.to[index]!);
      }
      if (letter !== last) plain += letter;
      last = letter;
    }
    plain += " ";
    runs.push(1);
    from.push(letters.to[end - 1]!);
    to.push(letters.to[end - 1]!);
  };
  words.forEach(add);
  joinedWords(words).forEach(add);
  return { text: plain, runs, from, to };
}

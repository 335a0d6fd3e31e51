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
const lookAlikes: Readonly<Record<string, string>> = Object.fromEntries([
  ...[
    ["a", "аαɑаᴀ"],
    ["b", "ьвʙ"],
    ["c", "сϲᴄ"],
    ["d", "ԁɗđᴅ"],
    ["e", "еєεҽᴇ"],
    ["f", "ꜰ"],
    ["g", "ɡցɢ"],
    ["h", "һнհʜ"],
    ["i", "іιıӏlłℓɪʟ"],
    ["j", "јϳᴊ"],
    ["k", "кκᴋ"],
    ["m", "мᴍɱ"],
    ["n", "пηոɴ"],
    ["o", "оοօσøσᴏ"],
    ["p", "рρᴘ"],
    ["q", "ԛ"],
    ["r", "гʀ"],
    ["s", "ѕʂꜱ"],
    ["t", "тτᴛ"],
    ["u", "υսμᴜ"],
    ["v", "ѵνᴠ"],
    ["w", "ԝωшᴡ"],
    ["x", "хχ"],
    ["y", "уγүʏ"],
    ["z", "ᴢ"],
  ].flatMap(([letter, others]) => [...others!].map((other) => [other, letter!])),
  // White on black, in circles and in squares.
  ...[..."abcdefghijklmnopqrstuvwxyz"].flatMap((letter, index) =>
    [0x1f150, 0x1f170].map((first) => [String.fromCodePoint(first + index), letter]),
  ),
]);

const digits: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "6": "g", "7": "t", "8": "b", "9": "g" },
};
/** Symbols that stand for a letter where one is beside them. */
const symbols: Readonly<Record<string, string>> = { "@": "a", $: "s", "€": "e", "!": "i", "|": "i", "¡": "i" };

const letterOrDigit = /[\p{L}\p{N}]/u;
const letterOrSymbol = /[\p{L}\p{N}@$€]/u;
/** Vowel signs of Indic scripts and the like are part of a word; accents and Arabic vowel marks aren't. */
const dropped = /\p{Cf}|[\u0300-\u036f]|\u0640|[\u064b-\u065f]|\u0670|[\ufe00-\ufe0f]|\p{Me}/u;
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
  letterOrSymbol.test(text[from + char.length] ?? "") &&
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

/** Words that may be one that was pulled apart: from the first to the last, exclusive. */
interface Run {
  readonly first: number;
  readonly end: number;
}

/** Whether a word is one letter, which has vowel signs in some scripts. */
const isSingle = ({ start, end }: Word, { chars }: Letters): boolean => {
  for (let at = start + 1; at < end; at += 1) if (chars[at]! < "\u0900" || !mark.test(chars[at]!)) return false;
  return true;
};

/** Returns what was pulled apart by punctuation (`b.a.d`, `ba-d`). */
function pulledByPunctuation(words: readonly Word[]): Run[] {
  const runs: Run[] = [];
  let first = 0;
  for (let end = 1; end <= words.length; end += 1) {
    if (words[end]?.isApart === false) continue;
    if (end - first > 1) runs.push({ first, end });
    first = end;
  }
  return runs;
}

/** Returns what was pulled apart letter by letter (`b a d`): at least three. */
function pulledByLetters(words: readonly Word[], letters: Letters): Run[] {
  const runs: Run[] = [];
  let first = 0;
  for (let end = 0; end <= words.length; end += 1) {
    if (words[end] && isSingle(words[end]!, letters)) continue;
    if (end - first >= 3) runs.push({ first, end });
    first = end + 1;
  }
  return runs;
}

const isDigit = (char: string): boolean => char >= "0" && char <= "9";

/** Words around one that was pulled apart that come again with it: it may be part of a phrase. */
const aroundMax = 3;

class Writer implements Normalised {
  text = " ";
  readonly runs = [1];
  readonly from = [0];
  readonly to = [0];
  readonly #letters: Letters;

  constructor(letters: Letters) {
    this.#letters = letters;
  }

  add({ start, end }: Pick<Word, "start" | "end">): void {
    const { chars, from, to } = this.#letters;
    const { runs, from: begins, to: ends } = this;
    let text = "";
    // Digits beside letters stand for letters; a number stays one.
    let isNumber = true;
    for (let index = start; index < end && isNumber; index += 1) isNumber = isDigit(chars[index]!);
    let last = "";
    for (let index = start; index < end; index += 1) {
      const read = chars[index]!;
      const letter = isNumber || !isDigit(read) ? read : (digits[read] ?? read);
      // A letter may be two units.
      for (let unit = 1; unit <= letter.length; unit += 1) {
        if (letter === last) {
          runs[runs.length - unit]! += 1;
          ends[ends.length - unit] = to[index]!;
          continue;
        }
        runs.push(1);
        begins.push(from[index]!);
        ends.push(to[index]!);
      }
      if (letter !== last) text += letter;
      last = letter;
    }
    this.text += text;
    this.#space(to[end - 1]!);
  }

  #space(at: number): void {
    this.text += " ";
    this.runs.push(1);
    this.from.push(at);
    this.to.push(at);
  }

  /** Adds each run as one word, with those around it. */
  addPulled(words: readonly Word[], pulled: readonly Run[]): void {
    let done = -1;
    for (const [index, { first, end }] of pulled.entries()) {
      const begin = Math.max(done, first - aroundMax, 0);
      if (begin !== done) this.#space(this.to.at(-1)!);
      for (let at = begin; at < first; at += 1) this.add(words[at]!);
      this.add({ start: words[first]!.start, end: words[end - 1]!.end });
      done = Math.min(end + aroundMax, pulled[index + 1]?.first ?? words.length);
      for (let at = end; at < done; at += 1) this.add(words[at]!);
    }
  }
}

/**
 * Returns a text as rules compare it. Words that were pulled apart come again at its end, as one, with those around it;
 * two spaces separate what doesn't follow there.
 */
export function normalise(text: string): Normalised {
  const { letters, words } = read(text);
  const plain = new Writer(letters);
  for (const word of words) plain.add(word);
  const close = pulledByPunctuation(words);
  const isThere = ({ first, end }: Run) => close.some((run) => run.first === first && run.end === end);
  plain.addPulled(words, close);
  plain.addPulled(
    words,
    pulledByLetters(words, letters).filter((run) => !isThere(run)),
  );
  return plain;
}

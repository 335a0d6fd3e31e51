import { LinkifyIt, type Match } from "linkify-it";

/** A text as patterns read it. */
export interface PlainText {
  readonly text: string;
  /** Returns the range of the original that units `start` to `end`, exclusive, stand for. */
  rangeOf(start: number, end: number): { readonly from: number; readonly to: number };
}

const notAscii = /[^\0-\x7f]/;
const invisible = /\p{Cf}/u;
const digit = /\p{Nd}/u;

/** Digits stand in tens, whose zeros have codes that end in 0 or 6. */
function asciiDigit(char: string): string {
  const code = char.codePointAt(0)!;
  const zero = code & ~15;
  return String(digit.test(String.fromCodePoint(zero)) ? code - zero : code - zero - 6);
}

function plainOf(char: string): string {
  if (!notAscii.test(char)) return char.toLowerCase();
  if (invisible.test(char)) return "";
  if (digit.test(char)) return asciiDigit(char);
  // İ alone becomes two characters.
  return char.normalize("NFKC").toLowerCase().replace("i\u0307", "i");
}

/**
 * Returns a text in lower case, without invisible characters, and with the usual letters and digits for wide ones,
 * those in circles, and the like: what looks the same is found by the same pattern.
 */
export function plainText(original: string): PlainText {
  if (!notAscii.test(original))
    return { text: original.toLowerCase(), rangeOf: (start, end) => ({ from: start, to: end }) };
  let text = "";
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  for (const char of original) {
    const plain = plainOf(char);
    for (let unit = 0; unit < plain.length; unit += 1) {
      from.push(at);
      to.push(at + char.length);
    }
    text += plain;
    at += char.length;
  }
  return { text, rangeOf: (start, end) => ({ from: from[start]!, to: to[end - 1]! }) };
}

const linkify = new LinkifyIt({ fuzzyLink: true });

/** Returns the links of a text, also those that browsers open though they are written in other characters. */
export const linksIn = (text: string): readonly Match[] =>
  linkify.match(plainText(text).text.replace(/[。｡]/g, ".")) ?? [];

export const hasLink = (text: string): boolean => linksIn(text).length > 0;

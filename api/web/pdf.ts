import { readFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Response } from "express";
import pLimit from "p-limit";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { directionOf, type Language } from "#shared/kernel/languages.ts";

type Row = readonly string[];

/** A printed document: a heading, who issues it, and a table. A cell may have several lines. */
export interface Printed {
  readonly fileName: string;
  readonly language: Language;
  readonly heading: string;
  readonly issuer: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** `share`: of the width. Those at the end are aligned there. */
  readonly columns: readonly { readonly title: string; readonly share: number; readonly isEnd?: boolean }[];
  readonly rows: readonly Row[];
  readonly note?: string;
}

/** Returns the locale with digits from 0 to 9, whose order is the same in all scripts. */
export const latinDigits = (language: Language): string => `${language}-u-nu-latn`;

/** Files of Noto Sans, which together write all languages of the service. */
const files = {
  latin: "@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff",
  extended: "@fontsource/noto-sans/files/noto-sans-latin-ext-400-normal.woff",
  devanagari: "@fontsource/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-400-normal.woff",
  arabic: "@fontsource/noto-sans-arabic/files/noto-sans-arabic-arabic-400-normal.woff",
};
type Font = keyof typeof files;
const fonts = Object.keys(files) as Font[];

let loaded: Promise<Buffer[]> | undefined;
const loadFonts = (): Promise<Buffer[]> => {
  loaded ??= Promise.all(fonts.map((font) => readFile(fileURLToPath(import.meta.resolve(files[font])))));
  return loaded;
};

const scripts: readonly (readonly [Font, RegExp])[] = [
  ["arabic", /\p{Script_Extensions=Arabic}/u],
  ["devanagari", /\p{Script_Extensions=Devanagari}/u],
  ["extended", /[\u0100-\u02ba\u1e00-\u1eff\u20a0-\u20ab\u20ad-\u20c0]/u],
];

/** Returns the runs of a text that one font writes. A letter of another script is printed as an empty box. */
export function runsOf(text: string): { readonly font: Font; readonly text: string }[] {
  const runs: { font: Font; text: string }[] = [];
  // Directional marks say nothing once the order is known.
  for (const letter of text.replace(/[\u061c\u200e\u200f\u2066-\u2069]/g, "")) {
    const last = runs.at(-1);
    const own = scripts.find(([, pattern]) => pattern.test(letter))?.[0] ?? "latin";
    const font = last && /[\s\p{M}]/u.test(letter) ? last.font : own;
    if (last?.font === font) last.text += letter;
    else runs.push({ font, text: letter });
  }
  return runs;
}

const [margin, size, gap] = [48, 9, 6];

type Doc = PDFKit.PDFDocument;

/** Draws texts of several scripts, from the right in languages that are written so. */
class Pen {
  readonly #doc: Doc;
  readonly #isRtl: boolean;
  readonly width: number;
  y = margin;

  constructor(doc: Doc, language: Language) {
    this.#doc = doc;
    this.#isRtl = directionOf(language) === "rtl";
    this.width = doc.page.width - 2 * margin;
  }

  #widthOf(text: string, fontSize: number): number {
    return runsOf(text).reduce(
      (sum, run) => sum + this.#doc.font(run.font).fontSize(fontSize).widthOfString(run.text),
      0,
    );
  }

  /** Breaks a text between words, and words that are too long. */
  linesOf(text: string, width: number, fontSize = size): string[] {
    return text.split("\n").flatMap((paragraph) => {
      const lines = [""];
      for (const word of paragraph.split(/(?<= )/).flatMap((one) => one.match(/.{1,40}/gu) ?? [one])) {
        const longer = lines.at(-1)! + word;
        if (lines.at(-1) === "" || this.#widthOf(longer.trimEnd(), fontSize) <= width) lines[lines.length - 1] = longer;
        else lines.push(word);
      }
      return lines.map((line) => line.trimEnd());
    });
  }

  /** Draws lines in a part of the width that begins at `x`. Returns their height. */
  write(lines: readonly string[], x: number, width: number, { fontSize = size, isEnd = false } = {}): number {
    const height = fontSize * 1.5;
    for (const [index, line] of lines.entries()) {
      const runs = runsOf(line);
      const baseline = this.y + index * height + fontSize * 1.1;
      // Numbers keep their order; words in Arabic are read from the right.
      const isReversed = this.#isRtl && runs.some(({ font }) => font === "arabic");
      const left = margin + (this.#isRtl ? this.width - x - width : x);
      let at = left + (isEnd === this.#isRtl ? 0 : width - this.#widthOf(line, fontSize));
      for (const { font, text } of isReversed ? runs.toReversed() : runs) {
        this.#doc.font(font).fontSize(fontSize);
        this.#doc.text(text, at, baseline, { lineBreak: false, baseline: "alphabetic" });
        at += this.#doc.widthOfString(text);
      }
    }
    return lines.length * height;
  }

  rule(): void {
    this.#doc
      .moveTo(margin, this.y)
      .lineTo(margin + this.width, this.y)
      .lineWidth(0.5)
      .stroke("#bbbbbb");
    this.y += gap / 2;
  }

  /** Begins a page, if there is no space for so much. Returns whether it did. */
  turn(height: number): boolean {
    if (this.y + height <= this.#doc.page.height - margin) return false;
    this.#doc.addPage();
    this.y = margin;
    return true;
  }
}

function writeTop(pen: Pen, { heading, issuer, facts }: Printed): void {
  pen.y += pen.write(pen.linesOf(heading, pen.width, 16), 0, pen.width, { fontSize: 16 }) + gap;
  pen.y += pen.write(pen.linesOf(issuer, pen.width), 0, pen.width) + gap;
  for (const [name, value] of facts) {
    const lines = pen.linesOf(value, pen.width - 130);
    pen.write([name], 0, 130);
    pen.y += pen.write(lines, 130, pen.width - 130);
  }
  pen.y += 2 * gap;
}

/** Writes a row, on a new page with the titles again if need be. */
function writeRow(pen: Pen, { columns }: Printed, row: Row, isTitle = false): void {
  const whole = columns.reduce((sum, { share }) => sum + share, 0);
  const widths = columns.map(({ share }) => (share / whole) * pen.width);
  const cells = row.map((cell, index) => pen.linesOf(cell, widths[index]! - gap));
  const height = Math.max(...cells.map(({ length }) => length)) * size * 1.5;
  if (pen.turn(height + gap) && !isTitle) writeRow(pen, { columns } as Printed, titlesOf(columns), true);
  let x = 0;
  for (const [index, lines] of cells.entries()) {
    pen.write(lines, x, widths[index]!, { isEnd: columns[index]!.isEnd ?? false });
    x += widths[index]!;
  }
  pen.y += height + gap / 2;
  pen.rule();
}

const titlesOf = (columns: Printed["columns"]): Row => columns.map(({ title }) => title);

/** One is made at a time: 2,000 lines take a second and a half of a core. */
const makers = pLimit(1);
const waitingMax = 20;

/** Sends a document as PDF. @throws RATE_LIMITED if too many are being made */
export async function sendPdf(res: Response, printed: Printed): Promise<void> {
  if (makers.pendingCount >= waitingMax)
    throw new DomainError("RATE_LIMITED", "Too many documents are being made. Try again soon.", { retryAfter: 10 });
  await makers(() => makePdf(res, printed));
}

/** Makes and sends a document row by row, so that others have their turns between. */
async function makePdf(res: Response, printed: Printed): Promise<void> {
  const [{ default: PDFDocument }, buffers] = await Promise.all([import("pdfkit"), loadFonts()]);
  const doc: Doc = new PDFDocument({ size: "A4", margin: 0, font: "", info: { Title: printed.heading } });
  for (const [index, font] of fonts.entries()) doc.registerFont(font, buffers[index]!);
  res.set({ "Content-Type": "application/pdf", "Cache-Control": "no-store" });
  res.set("Content-Disposition", `inline; filename="${printed.fileName}.pdf"`);
  doc.pipe(res);

  const pen = new Pen(doc, printed.language);
  writeTop(pen, printed);
  writeRow(pen, printed, titlesOf(printed.columns), true);
  for (const [index, row] of printed.rows.entries()) {
    writeRow(pen, printed, row);
    if (index % 25 === 24) await setImmediate();
    if (res.destroyed) return void doc.end();
  }
  if (printed.note) {
    const lines = pen.linesOf(printed.note, pen.width);
    pen.turn(lines.length * size * 1.5);
    pen.write(lines, 0, pen.width);
  }
  doc.end();
  await finished(res).catch(() => undefined);
}

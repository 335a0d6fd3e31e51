import type { Response } from "express";
import type { DomainError } from "#shared/kernel/domain-error.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { inLanguage, textOf } from "#shared/kernel/translate.ts";
import { languageOf } from "../http/respond.ts";

/** What a page says, in the language of its reader. */
export interface Words {
  readonly language: Language;
  /** Translates a text. `english`: a literal, so that a test finds it without a translation. */
  readonly t: (english: string, values?: Readonly<Record<string, string>>) => string;
  readonly messageOf: (error: DomainError) => string;
}

/** Returns the words of a page: in the language that the caller has chosen, or that of their request. */
export async function wordsOf(res: Response): Promise<Words> {
  const language = await languageOf(res);
  return {
    language,
    t: (english, values) => textOf(language, "pages", english, values),
    messageOf: (error) => inLanguage(error.toFailure(), language).message,
  };
}

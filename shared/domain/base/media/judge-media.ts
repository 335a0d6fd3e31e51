import { readFile } from "node:fs/promises";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { logger } from "#shared/kernel/logger.ts";
import { askJudge, type Labels } from "../filter/judge/judge.config.ts";
import { labelledRules } from "../filter/judge/judge-held.ts";
import { currentRules } from "../filter/rules.ts";

/** A picture before it is shown. */
export interface JudgedPicture {
  readonly purpose: string;
  readonly content_type: string;
  /** Of a file that is small enough to be sent. */
  readonly path: string;
}

/**
 * Returns why a picture is not shown, for the person who sent it, or undefined. Only rules that look for labels ask
 * the judge.
 */
export async function judgePicture({ purpose, content_type, path }: JudgedPicture): Promise<string | undefined> {
  if (currentRules().judged({}).length === 0) return undefined;
  let labels: Labels;
  try {
    labels = await askJudge({ kind: "picture", purpose, content_type, data: await readFile(path, "base64") });
  } catch (error) {
    logger.warn({ err: error }, "the judge said nothing about a picture");
    return setting("judge_failure") === "hold"
      ? "The picture can't be checked now. Please try again later."
      : undefined;
  }
  return labelledRules({}, labels)[0]?.action.text;
}

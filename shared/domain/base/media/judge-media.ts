import { readFile } from "node:fs/promises";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { logger } from "#shared/kernel/logger.ts";
import { authorOf } from "../filter/author.ts";
import { askJudge, type Labels } from "../filter/judge/judge.config.ts";
import { labelledRules } from "../filter/judge/judge-held.ts";
import type { FilePlace } from "../filter/places.ts";
import { currentRules } from "../filter/rules.ts";

/** A picture or a voice note before it is shown. */
export interface JudgedFile {
  readonly kind: FilePlace;
  readonly userId: string;
  readonly purpose: string;
  readonly content_type: string;
  /** Of a file that is small enough to be sent. */
  readonly path: string;
}

/** Why a file isn't shown. */
export interface FileVerdict {
  /** For the person who sent it. */
  readonly reason: string;
  readonly rule_id?: string;
  readonly rule_version?: number;
}

/** Returns why a file isn't shown, or undefined. Only rules that look for labels ask the judge. */
export async function judgeFile({ path, userId, ...asked }: JudgedFile): Promise<FileVerdict | undefined> {
  const where = await authorOf(userId);
  if (currentRules().judged(where).length === 0) return undefined;
  let labels: Labels;
  try {
    labels = await askJudge({ ...asked, data: await readFile(path, "base64") });
  } catch (error) {
    logger.warn({ err: error }, "the judge said nothing about a file");
    if (setting("judge_failure") !== "hold") return undefined;
    const picture = "The picture can't be checked now. Please try again later.";
    return { reason: asked.kind === "picture" ? picture : "The sound can't be checked now. Please try again later." };
  }
  const [rule] = labelledRules(where, labels);
  return rule && { reason: rule.action.text, rule_id: rule.id, rule_version: rule.version };
}

import { mediaJudge } from "./media.config.ts";
import type { StoredCard } from "./media-card.ts";

/** A medium before it is shown, with its files. */
export interface JudgedMedia {
  readonly card: StoredCard;
  /** Returns the path of a variant's file. */
  readonly pathOf: (file: string) => string;
}

/** Returns why a medium is not shown, for the person who sent it, or undefined. */
export type MediaJudge = (media: JudgedMedia) => Promise<string | undefined>;

/** Judges a medium before anyone sees it. Without a judge, all are allowed. */
export const judgeMedia: MediaJudge = async (media) => await mediaJudge()?.(media);

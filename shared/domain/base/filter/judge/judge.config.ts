/** What a judge is asked about. */
export type Asked =
  | { readonly kind: "text"; readonly place: string; readonly text: string }
  /** `data`: base64. */
  | {
      readonly kind: "picture" | "audio";
      readonly purpose: string;
      readonly content_type: string;
      readonly data: string;
    };

/** How sure a judge is of each label, from 0 to 1. */
export type Labels = Readonly<Record<string, number>>;

/** Says what something is. Rejects if it can't: see the setting `judge_failure`. */
export type Judge = (asked: Asked) => Promise<Labels>;

let judge: Judge | undefined;

/** Sets who judges what people write and show. Undefined: rules that look for labels can't be applied. */
export function configureJudge(chosen: Judge | undefined): void {
  judge = chosen;
}

/** Asks the judge. @throws Error if there is none, or it can't say */
export const askJudge: Judge = (asked) => {
  if (!judge) return Promise.reject(new Error("no judge is configured"));
  return judge(asked);
};

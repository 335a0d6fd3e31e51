import type { Judge } from "./judge.config.ts";

/** For development: a text with `label:spam` has the label `spam`. Pictures have none. */
export const sandboxJudge: Judge = (asked) =>
  Promise.resolve(
    asked.kind === "text"
      ? Object.fromEntries(Array.from(asked.text.matchAll(/label:([a-z_]{1,40})/g), ([, label]) => [label!, 1]))
      : {},
  );

import type { Judge } from "./judge.config.ts";

/** For development: a text, or a file, with `label:spam` in it has the label `spam`. */
export const sandboxJudge: Judge = (asked) => {
  const text = asked.kind === "text" ? asked.text : Buffer.from(asked.data, "base64").toString("latin1");
  return Promise.resolve(
    Object.fromEntries(Array.from(text.matchAll(/label:([a-z_]{1,40})/g), ([, label]) => [label!, 1])),
  );
};

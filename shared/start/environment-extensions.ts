import { about, commaList } from "./environment-fields.ts";

/** Environment variables of extensions. */
export const extensionVariables = {
  HUBBUB_EXTENSIONS: about(
    commaList((text) => text.length > 0 && text.length <= 500),
    {
      purpose: "The extensions that are part of the service. The same in all processes.",
      wanted: "comma-separated folders, each with an `index.ts`",
      example: "./my-app,shared/extensions/red-packets",
      secrecy: "open",
      fallback: [],
    },
  ),
};

/**
 * The rules for all texts that clients send. The published schemas omit them, because clients can't use such patterns.
 */
export const textRules =
  "Text is trimmed and normalized to NFC. It must not contain NUL, lone surrogates, or more than 30 combining marks in a " +
  "row. Names, titles and other single-line texts need at least one visible character and must not contain control " +
  "characters, line separators, or bidirectional controls. Maximum lengths count UTF-16 units, as JavaScript does: most emoji count as two.";

import { expect } from "chai";
import { findWords, splitSource } from "./plain-english.ts";

const words = (path: string, content: string) => findWords(path, content).map(({ line, word }) => `${line} ${word}`);

describe("the check of plain English", () => {
  it("finds words in strings, templates, and comments, with their lines", () => {
    const source = `const message = "Nobody is here.";
      const other = \`\${name} lost
        \${f({ a: \`his own\` })} and his way\`;
      // Whoever comes first.`;
    expect(words("a.ts", source)).to.deep.equal(["1 Nobody", "3 his", "3 his", "4 Whoever"]);
  });

  it("accepts values, quoted words, code, and words that only contain a rejected one", () => {
    expect(words("a.ts", "const value = \"nobody\"; const nobody = `x = 'nobody' AND y`;")).to.deep.equal([]);
    expect(words("a.ts", 'const text = "the history of this, no more than 5";')).to.deep.equal([]);
  });

  it("tells strings from regular expressions and divisions", () => {
    const source = 'const quote = /["\'`]/g; const half = (a + b) / 2; const text = "half / whole"; // "end"';
    const { strings, comments } = splitSource("a.ts", source);
    expect(strings.map(({ text }) => text)).to.deep.equal(["half / whole"]);
    expect(comments.map(({ text }) => text)).to.deep.equal(['// "end"']);
  });

  it("reads the texts of elements, and no code of theirs", () => {
    const source = 'const his = <p title="He said">\n  {/* Done anew. */}\n  Nobody is {his}\n</p>;';
    expect(words("a.tsx", source)).to.deep.equal(["1 He", "3 Nobody", "2 anew"]);
  });

  it("checks documents except for their code", () => {
    const markdown = "# Title\n\nHe calls `nobody()`.\n\n```js\nhis();\n```\n\nDone anew.";
    expect(words("a.md", markdown)).to.deep.equal(["3 He", "9 anew"]);
  });
});

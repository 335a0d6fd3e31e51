import { expect } from "chai";
import questions from "./questions.json" with { type: "json" };

const fold = (text: string) => text.trim().toLowerCase();
const hasControls = (text: string) => /\p{Cc}/u.test(text);

function countBy(key: "category" | "difficulty"): Map<string, number> {
  const counts = new Map<string, number>();
  for (const question of questions) counts.set(question[key], (counts.get(question[key]) ?? 0) + 1);
  return counts;
}

describe("questions of trivia", () => {
  it("are enough, and no two are the same", () => {
    expect(questions).to.have.length.of.at.least(220);
    expect(new Set(questions.map(({ text }) => fold(text))).size).to.equal(questions.length);
  });

  it("are short questions in plain text", () => {
    for (const question of questions) {
      const { text } = question;
      expect(question).to.have.all.keys("category", "difficulty", "text", "options");
      expect(text).to.match(/^\S.*\?$/u);
      expect(text.length, text).to.be.at.most(160);
      expect(hasControls(text), text).to.equal(false);
    }
  });

  it("have four different options each, all short enough for a button", () => {
    for (const { text, options } of questions) {
      expect(options, text).to.have.lengthOf(4);
      expect(new Set(options.map(fold)).size, text).to.equal(4);
      for (const option of options) {
        expect(option, text).to.equal(option.trim());
        expect(option.length, text).to.be.within(1, 60);
        expect(hasControls(option), text).to.equal(false);
      }
    }
  });

  it("cover at least eight categories, with ten or more in each", () => {
    const categories = countBy("category");
    expect(categories.size).to.be.at.least(8);
    for (const [category, count] of categories) {
      expect(category).to.match(/^[a-z]+$/);
      expect(count, category).to.be.at.least(10);
    }
  });

  it("are easy, medium and hard in about equal parts", () => {
    const difficulties = countBy("difficulty");
    expect([...difficulties.keys()]).to.have.members(["easy", "medium", "hard"]);
    for (const [difficulty, count] of difficulties) {
      expect(count / questions.length, difficulty).to.be.within(0.25, 0.42);
    }
  });
});

import { expect } from "chai";
import Joi from "joi";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { checkInput } from "./check-input.ts";
import { exactlyOneOf, flag, integer, line, object, optional, plainTime, text } from "./fields.ts";

const schema = object({ name: line(1, 20), more: optional(Joi.object().unknown(true)) });

function errorOf(value: unknown, by: Joi.AnySchema = schema): DomainError {
  try {
    checkInput(by, value);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error("it was taken");
}

const messagesOf = (by: Joi.AnySchema, value: unknown) => errorOf(value, by).details?.map(({ message }) => message);

describe("checking an input", () => {
  it("converts it", () => {
    expect(checkInput(schema, { name: " Ada " })).to.deep.equal({ name: "Ada" });
  });

  it("names each invalid field", () => {
    const { code, details } = errorOf({ name: "", other: 1 });
    expect(code).to.equal("VALIDATION_ERROR");
    expect(details?.map(({ field }) => field)).to.deep.equal(["name", "other"]);
  });

  it("has one detail for each field, however many of its rules are broken", () => {
    const { details, message } = errorOf({ name: "\u202e", other: 1 });
    expect(details?.map(({ field }) => field)).to.deep.equal(["name", "other"]);
    expect(message.match(/name must/g)).to.have.length(1);
  });

  it("states the rule of a field in words", () => {
    const card = object({
      code: Joi.string().pattern(/^\d{6}$/, "6 digits"),
      age: integer(13, 99),
      sure: flag().valid(true),
    });

    const messages = messagesOf(card, { code: "12", age: 7, sure: false });

    expect(messages).to.deep.equal(["code must be 6 digits", "age must be at least 13", "sure must be true"]);
  });

  it("asks for exactly one of fields that exclude each other", () => {
    const address = exactlyOneOf({ email: line(1, 99), mobile: line(1, 20) });

    expect(messagesOf(address, {})).to.deep.equal(["at least one of email, mobile is required"]);
    expect(messagesOf(address, { email: "a", mobile: "1" })).to.deep.equal(["only one of email, mobile is allowed"]);
  });

  it("takes no line in which nothing can be seen, and every other with joiners in it", () => {
    for (const name of ["\u200b", "\u200d\u2060", "\u3164 \u3164", "\u2800", "\ufe0f", "\u00ad\u00a0\u00ad"])
      expect(errorOf({ name }).details?.[0]?.field, JSON.stringify(name)).to.equal("name");
    for (const name of ["क्‍ष", "👩‍🚀", "❤️", "नमस्ते", "\u{e000}", ".", "म\u200c"])
      expect(checkInput(schema, { name })).to.deep.equal({ name });
  });

  it("takes no line that is shown as several, or with characters that reorder or annotate it", () => {
    for (const separator of ["\n", "\u0085", "\u2028", "\u2029", "\u202e", "\u2066", "\ufff9", "\ufffb"])
      expect(errorOf({ name: `Ada${separator}Lovelace` }).details?.[0]?.field, JSON.stringify(separator)).to.equal(
        "name",
      );
  });

  it("takes no time on a day that doesn't exist", () => {
    const at = object({ at: plainTime("2027-01-01T00:00:00Z") });
    for (const day of ["2027-02-29", "2027-02-30", "2027-04-31", "2100-02-29"])
      for (const time of ["", "T10:00:00Z", "T23:30:00-02:00"])
        expect(errorOf({ at: day + time }, at).details?.[0]?.field, day + time).to.equal("at");
    for (const time of ["2028-02-29", "2027-12-31T23:59:59.999-10:00"])
      expect(checkInput(at, { at: time })).to.deep.equal({ at: new Date(time).toISOString() });
  });

  it("takes a text in NFC, with up to 30 marks on a letter: more are never put in order", () => {
    const marks = (count: number) => "\u0315\u0301".repeat(count / 2);
    const { name } = checkInput(object({ name: optional(text(1, 40)) }), { name: `a${marks(30)}` }) as { name: string };
    expect(name).to.equal(`\u00e1${"\u0301".repeat(14)}${"\u0315".repeat(15)}`);
    const huge = `${"n".repeat(99)}${marks(30_000)}`;
    const normalize = String.prototype.normalize;
    String.prototype.normalize = () => expect.fail("it was normalized");
    try {
      for (const name of [`a${marks(32)}`, huge]) expect(errorOf({ name }).details?.[0]?.field).to.equal("name");
    } finally {
      String.prototype.normalize = normalize;
    }
  });

  it("is done soon with what is huge, deep or bytes", () => {
    const huge = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]));
    const deep = JSON.parse(`${'{"more":'.repeat(10_000)}1${"}".repeat(10_000)}`);
    const before = process.cpuUsage();
    for (const value of [
      huge,
      Buffer.alloc(64_000),
      { name: "Ada", more: huge, other: huge },
      deep,
      [huge],
      { name: [huge] },
    ])
      expect(errorOf(value).code).to.equal("VALIDATION_ERROR");
    expect(errorOf(huge).details).to.have.length(1);
    // Naming every invalid field took seconds. Counted by the processor, since others share it.
    expect(process.cpuUsage(before).user / 1000).to.be.lessThan(700);
    expect(checkInput(schema, { name: "Ada", more: huge })).to.have.property("more");
  });
});

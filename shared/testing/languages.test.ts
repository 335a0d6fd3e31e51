import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { checkInput } from "#shared/contracts/check-input.ts";
import {
  date,
  exactlyOneOf,
  flag,
  integer,
  line,
  listOf,
  object,
  oneOf,
  optional,
  time,
  url,
} from "#shared/contracts/fields.ts";
import { notificationTypes } from "#shared/contracts/views.ts";
import { renderMail } from "#shared/domain/identity/mail/templates.ts";
import { notificationTexts } from "#shared/domain/social/notifications/notification-texts.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { type Language, languageAccepted, languages } from "#shared/kernel/languages.ts";
import { inLanguage, readTexts } from "#shared/kernel/translate.ts";
import { findErrorTexts } from "./error-texts.ts";
import { findPageTexts, findPhysicalSides, findUntranslated, findUntranslatedInJsx } from "./page-texts.ts";

const others = languages.filter((language) => language !== "en");
const placeholdersOf = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g))].sort();
/** `{ a: { b: text } }` → `{ "a.b": text }` */
const flat = (texts: object, prefix = ""): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === "string" ? [[prefix + key, value]] : Object.entries(flat(value, `${prefix}${key}.`)),
    ),
  );

/** `body_other` → `body`: a language has its own plurals. */
const singular = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, "");

/**
 * Returns what is wrong with translations: keys that are missing or too many, and other placeholders than in English.
 */
export function faultsOf(
  english: Readonly<Record<string, string>>,
  language: string,
  texts: Readonly<Record<string, string>>,
): string[] {
  const plurals = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const wanted = new Map<string, string>();
  for (const [key, text] of Object.entries(english)) {
    const base = singular(key);
    if (base === key || !(`${base}_other` in english)) wanted.set(key, text);
    else
      for (const plural of plurals)
        wanted.set(`${base}_${plural}`, english[`${base}_${plural}`] ?? english[`${base}_other`]!);
    // i18next knows zero in every language.
    if (key.endsWith("_zero")) wanted.set(key, text);
  }
  return [
    ...[...wanted].flatMap(([key, text]) => {
      const found = texts[key];
      if (!found) return [`${language}: ${key} has no translation`];
      return `${placeholdersOf(found)}` === `${placeholdersOf(text)}`
        ? []
        : [`${language}: ${key} has other placeholders`];
    }),
    ...Object.keys(texts).flatMap((key) => (wanted.has(key) ? [] : [`${language}: ${key} is in no English text`])),
  ];
}

describe("languages", () => {
  it("have a translation of each text of mails and notifications, with its placeholders", () => {
    for (const kind of ["mails", "notifications"] as const)
      expect(
        others.flatMap((language) => faultsOf(readTexts("en", kind), language, readTexts(language, kind))),
      ).to.deep.equal([]);
  });

  it("have a translation of each error in the sources, with its placeholders", async () => {
    const { keys, computed } = await findErrorTexts();
    expect(computed, "texts put together by code").to.deep.equal([]);
    const english = Object.fromEntries([...keys].map((key) => [key, key]));
    expect(others.flatMap((language) => faultsOf(english, language, readTexts(language, "errors")))).to.deep.equal([]);
  });

  it("have a translation of each text of the demo, with its placeholders, and mirror its pages", async () => {
    const english = await findPageTexts("api/web/demo");
    for (const language of others) {
      const texts = JSON.parse(
        await readFile(new URL(`../../api/web/demo/languages/${language}.json`, import.meta.url), "utf8"),
      );
      expect(faultsOf(english, language, texts)).to.deep.equal([]);
    }
    expect(await findPhysicalSides("api/web/demo/styles"), "sides that don't change with the direction").to.deep.equal(
      [],
    );
  });

  it("have a translation of each text of the server's own pages, with its placeholders, and mirror them", async () => {
    const folders = "api/{public/*/*,web}";
    const english = await findPageTexts(folders);
    expect(others.flatMap((language) => faultsOf(english, language, readTexts(language, "pages")))).to.deep.equal([]);

    // The documents are in English.
    const ofDevelopers = /dev-outbox|(admin|demo)-page|layout|\.test\.ts$/;
    expect(await findUntranslated(folders, ofDevelopers), "words beside the texts").to.deep.equal([]);
    expect(await findPhysicalSides("api/{docs,public/*}/static"), "sides that don't change").to.deep.equal([]);
  });

  it("have a translation of each text of the console, with its placeholders", async () => {
    const textsOf = async (language: string) =>
      flat(JSON.parse(await readFile(new URL(`../../api/web/admin/texts/${language}.json`, import.meta.url), "utf8")));
    const english = await textsOf("en");
    for (const language of others) expect(faultsOf(english, language, await textsOf(language))).to.deep.equal([]);
  });

  it("leave only names in English in the markup of the demo and the console", async () => {
    const names = ["HOST=0.0.0.0", "Hubbub", "seq"];
    expect(await findUntranslatedInJsx("api/web/{demo,admin,admin/*,studio,studio/*}")).to.deep.equal(names);
  });

  it("are chosen by `Accept-Language`", () => {
    const cases: [header: string | undefined, language: Language | undefined][] = [
      [undefined, undefined],
      ["*", "en"],
      ["de", undefined],
      ["de, hi;q=0.5", "hi"],
      ["pt-BR,pt;q=0.9,en;q=0.8", "pt"],
      ["ar-EG", "ar"],
      ["en-US,es;q=0.9", "en"],
      ["es;q=oops, id", "id"],
      ["hi,".repeat(1000), undefined],
    ];
    expect(cases.map(([header]) => languageAccepted(header))).to.deep.equal(cases.map(([, language]) => language));
  });

  it("translate an error with its values, and keep its code", () => {
    const error = new DomainError("CONFLICT", "You have {{count}} webhooks. Delete one first.", {
      values: { count: 5 },
    });
    expect(error.message).to.equal("You have 5 webhooks. Delete one first.");
    const messages = (["en", "hi", "ar"] as const).map((language) => inLanguage(error.toFailure(), language));
    expect(messages.map(({ code }) => code)).to.deep.equal(["CONFLICT", "CONFLICT", "CONFLICT"]);
    expect(messages.map(({ message }) => message)).to.deep.equal([
      "You have 5 webhooks. Delete one first.",
      "आपके पास 5 वेबहुक हैं। पहले एक हटाएँ।",
      "بلغت الحد الأقصى لخطافات الويب: 5. احذف واحدًا أولًا.",
    ]);
  });

  it("leave a text without a translation in English", () => {
    const error = new DomainError("MAINTENANCE", "Back at noon. {{count}} $t(x)");
    expect(inLanguage(error.toFailure(), "hi").message).to.equal("Back at noon. {{count}} $t(x)");
  });

  it("translate each rule of an input as Joi says it in English", () => {
    const schema = object({
      name: line(3, 8),
      size: integer(1, 5),
      kind: oneOf("a", "b"),
      on: flag(),
      day: date(),
      at: time("2026-01-01"),
      link: url(),
      list: listOf(oneOf("x")).max(1),
      more: optional(exactlyOneOf({ left: flag(), right: flag() })),
      gone: line(1, 5),
    });
    const input = {
      name: "Ad",
      size: 2.5,
      kind: "c",
      on: 1,
      day: "x",
      at: "x",
      link: "ftp:x",
      list: ["x", "x"],
      more: {},
      other: 1,
    };
    const caught = [
      input,
      { ...input, name: "x".repeat(9), size: 9, list: "x" },
      { ...input, name: "", size: 0 },
      [],
    ].map((value) => {
      try {
        checkInput(schema, value);
      } catch (error) {
        return (error as DomainError).toFailure();
      }
      throw new Error("accepted");
    });
    for (const failure of caught) {
      const texts = (failure.detailTexts ?? []).map(({ text, values }) => ({ field: "", text, values }));
      expect(invalidFields(texts).message).to.equal(failure.message);
      const hindi = inLanguage(failure, "hi");
      for (const { message } of hindi.details ?? []) expect(message).to.match(/[\u0900-\u097f]/);
      expect(hindi.message).to.equal(hindi.details?.map(({ message }) => message).join("; "));
      expect(hindi.details?.map(({ field }) => field)).to.deep.equal(failure.details?.map(({ field }) => field));
    }
    expect(inLanguage(caught[0]!, "es").details?.[0]).to.deep.equal({
      field: "name",
      message: "name debe tener al menos 3 caracteres",
    });
  });

  it("show a mail in Arabic, from right to left, and in Hindi", () => {
    const values = { username: "ada", code: "314159", minutes: "10", app_name: "Hubbub" };
    const arabic = renderMail("ar", "verify-email", values);
    expect(arabic.subject).to.equal("رمز التحقق الخاص بك في Hubbub");
    expect(arabic.text).to.include("314159").and.include("خلال 10 دقائق").and.include("@ada");
    expect(arabic.html).to.include('lang="ar" dir="rtl"').and.include('<strong dir="ltr">@ada</strong>');
    expect(renderMail("hi", "verify-email", values).text)
      .to.include("आपका सत्यापन कोड है 314159")
      .and.include("10 मिनट");
  });

  it("count in a notification as each language does", () => {
    const user = { full_name: "Ada", username: "ada" } as never;
    const shown = (count: number) => ({ data: { user, count }, roomName: null, announcement: null });
    const body = (language: Language, count: number) => notificationTexts(language, "follow", shown(count)).body;
    expect([1, 2, 3].map((count) => body("en", count))).to.deep.equal([
      "Ada followed you.",
      "Ada and 1 other followed you.",
      "Ada and 2 others followed you.",
    ]);
    expect(body("hi", 1)).to.equal("Ada ने आपको फ़ॉलो किया।");
    expect([2, 3, 5, 13].map((count) => body("ar", count))).to.deep.equal([
      "بدأ Ada و1 آخر بمتابعتك.",
      "بدأ Ada وآخران (2) بمتابعتك.",
      "بدأ Ada و4 آخرين بمتابعتك.",
      "بدأ Ada و12 آخرون بمتابعتك.",
    ]);
  });

  it("have a title for each type of notification", () => {
    const ownTexts = ["announcement", "extension"];
    const titles = notificationTypes.filter((type) => !ownTexts.includes(type)).map((type) => `${type}.title`);
    expect(Object.keys(readTexts("en", "notifications"))).to.include.members(titles);
  });
});

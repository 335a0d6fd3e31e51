import AhoCorasick from "modern-ahocorasick";
import { RE2JS } from "re2js";
import type { RuleAct, RuleScope, RuleTrigger } from "#shared/contracts/views.ts";
import { type Normalised, normalise } from "./normalise.ts";
import { plainText } from "./plain-text.ts";
import { type Circumstances, type WholeTest, wholeTestOf } from "./spam.ts";

/** A rule as stored. */
export interface Rule {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly scope: RuleScope;
  readonly trigger: RuleTrigger;
  readonly action: RuleAct;
}

/** What a rule has found in a text: characters `from` to `to`, exclusive. */
export interface Finding {
  readonly rule: Rule;
  readonly from: number;
  readonly to: number;
}

/** Where a text stands, for rules that hold only there. */
export interface Where extends Circumstances {
  readonly roomId?: string;
  readonly category?: string;
  readonly language?: string;
  /** Of the author, ISO 3166-1 alpha-2. */
  readonly country?: string | null;
}

export interface CompiledRules {
  readonly count: number;
  /** Whether a rule asks for the country of the author. */
  readonly askForCountry: boolean;
  /** Returns what the rules find in a text there. */
  find(text: string, where: Where): Finding[];
  /** Returns the rules that need a judge's word about a text there. */
  judged(where: Where): Rule[];
  /** The rules that look at texts as a whole, with what they remember of earlier ones. */
  readonly wholes: readonly WholeRule[];
}

interface WholeRule {
  readonly rule: Rule;
  readonly test: WholeTest;
}

/** A word of a rule, as it is looked for: with its runs, see `Normalised`. */
interface Sought {
  readonly rule: Rule;
  readonly runs: readonly number[];
  readonly allowed: ReadonlySet<string>;
}

/**
 * Compiles rules. All words of all rules are looked for at once (Aho–Corasick); patterns run in linear time (RE2), one
 * after the other, on the text as `plainText` returns it. A rule that hasn't changed since `before` keeps what it
 * remembers.
 */
export function compileRules(rules: readonly Rule[], before?: CompiledRules): CompiledRules {
  const known = new Map(before?.wholes.map(({ rule, test }) => [`${rule.id} ${rule.version}`, test]));
  const sought = new Map<string, Sought[]>();
  const patterns: { readonly rule: Rule; readonly re: RE2JS }[] = [];
  const wholes: WholeRule[] = [];
  const labelled: Rule[] = [];
  for (const rule of rules) {
    const { trigger } = rule;
    if (trigger.kind === "words") addWords(sought, rule, trigger);
    else if (trigger.kind === "patterns")
      for (const pattern of trigger.patterns) patterns.push({ rule, re: RE2JS.compile(pattern) });
    else if (trigger.kind === "labels") labelled.push(rule);
    else wholes.push({ rule, test: known.get(`${rule.id} ${rule.version}`) ?? wholeTestOf(trigger) });
  }
  const words = sought.size > 0 ? new AhoCorasick([...sought.keys()]) : undefined;

  const findWords = (text: string, where: Where): Finding[] => {
    if (!words) return [];
    const plain = normalise(text);
    return words.search(plain.text).flatMap(({ pattern, start, end }) =>
      sought.get(pattern)!.flatMap(({ rule, runs, allowed }): Finding[] => {
        const holds = isIn(rule, where) && isRepeatedEnough(plain, start, runs);
        return holds && !isAllowed(plain.text, start, end, allowed) ? [{ rule, ...rangeOf(plain, start, end) }] : [];
      }),
    );
  };
  const findPatterns = (text: string, where: Where): Finding[] => {
    const plain = plainText(text);
    return patterns.flatMap(({ rule, re }): Finding[] => {
      if (!isIn(rule, where)) return [];
      const found: Finding[] = [];
      for (const matcher = re.matcher(plain.text); matcher.find(); )
        if (matcher.end() > matcher.start()) found.push({ rule, ...plain.rangeOf(matcher.start(), matcher.end()) });
      return found;
    });
  };
  const findWholes = (text: string, where: Where): Finding[] =>
    wholes
      .filter(({ rule, test }) => isIn(rule, where) && test(text, where))
      .map(({ rule }) => ({ rule, from: 0, to: text.length }));
  return {
    count: rules.length,
    askForCountry: rules.some(({ scope }) => scope.kind === "country"),
    find: (text, where) => {
      const found = findWords(text, where);
      if (patterns.length > 0) found.push(...findPatterns(text, where));
      if (wholes.length > 0) found.push(...findWholes(text, where));
      return withoutAllowed(found);
    },
    wholes,
    judged: (where) => labelled.filter((rule) => isIn(rule, where)),
  };
}

/** `word` is a whole word or phrase, `word*` the beginning of one, `*word` its end, `*word*` any part. */
function addWords(
  sought: Map<string, Sought[]>,
  rule: Rule,
  { words, allow = [] }: RuleTrigger & { kind: "words" },
): void {
  const allowed = new Set(allow.map((word) => normalise(word).text.trim()));
  for (const word of words) {
    const { text, runs } = normalise(word.replace(/^\*|\*$/g, ""));
    const [from, to] = [word.startsWith("*") ? 1 : 0, text.length - (word.endsWith("*") ? 1 : 0)];
    const key = text.slice(from, to);
    sought.set(key, [...(sought.get(key) ?? []), { rule, runs: runs.slice(from, to), allowed }]);
  }
}

function isIn({ scope }: Rule, { roomId, category, language, country }: Where): boolean {
  switch (scope.kind) {
    case "service":
      return true;
    case "room":
      return scope.room_id === roomId;
    case "category":
      return scope.category === category;
    case "language":
      return scope.language === language;
    case "country":
      return scope.country === country;
  }
}

/** Leaves out what lies within what a rule allows. */
function withoutAllowed(found: Finding[]): Finding[] {
  const allowed = found.filter(({ rule }) => rule.action.kind === "allow");
  if (allowed.length === 0) return found;
  const isAllowed = ({ from, to }: Finding) => allowed.some((one) => one.from <= from && to <= one.to);
  return found.filter((one) => !isAllowed(one));
}

/** `as` isn't `ass`, though both have the same letters. */
const isRepeatedEnough = (plain: Normalised, start: number, runs: readonly number[]): boolean =>
  runs.every((run, index) => plain.runs[start + index]! >= run);

/** Whether the words around what was found are one of those that the rule allows. */
function isAllowed(text: string, start: number, end: number, allowed: ReadonlySet<string>): boolean {
  if (allowed.size === 0) return false;
  const from = text[start] === " " ? start : text.lastIndexOf(" ", start);
  const to = text[end - 1] === " " ? end : text.indexOf(" ", end);
  return allowed.has(text.slice(from, to).trim());
}

function rangeOf(plain: Normalised, start: number, end: number): { readonly from: number; readonly to: number } {
  const first = plain.text[start] === " " ? start + 1 : start;
  const last = plain.text[end - 1] === " " ? end - 2 : end - 1;
  return { from: plain.from[first]!, to: plain.to[last]! };
}

import type { RuleTrigger } from "#shared/contracts/views.ts";
import { clock } from "#shared/kernel/clock.ts";
import { timeOfId } from "#shared/kernel/ids.ts";
import { linksIn } from "./plain-text.ts";

/** What is known of a text beside its words. */
export interface Circumstances {
  readonly userId?: string;
  /** How many users it mentions. */
  readonly mentions?: number;
  /** When it was written, milliseconds since 1970. Default: now. */
  readonly writtenMs?: number;
}

/** Returns whether a text as a whole is what a rule looks for. */
export type WholeTest = (text: string, circumstances: Circumstances) => boolean;

const letters = /\p{L}/gu;
const capitals = /\p{Lu}/gu;
const hourMs = 3_600_000;

/** People whose last texts are remembered for a rule, by each process; the others are forgotten. */
const peopleMax = 20_000;

/** Remembers what people wrote in the last seconds. Returns all of it, this included. */
function recentBy(seconds: number): (userId: string, what: string, nowMs: number) => readonly string[] {
  const people = new Map<string, { what: string; atMs: number }[]>();
  return (userId, what, atMs) => {
    const recent = (people.get(userId) ?? []).filter((one) => atMs - one.atMs < seconds * 1000).slice(-100);
    recent.push({ what, atMs });
    people.delete(userId);
    people.set(userId, recent);
    if (people.size > peopleMax) people.delete(people.keys().next().value!);
    return recent.map((one) => one.what);
  };
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Each rule's test, which may remember what it has seen. `labels` are found by a judge, not here. */
export function wholeTestOf(trigger: Exclude<RuleTrigger, { kind: "words" | "patterns" | "labels" }>): WholeTest {
  switch (trigger.kind) {
    case "links": {
      const allowed = (trigger.allow ?? []).map((domain) => domain.toLowerCase());
      const isAllowed = (host: string) => allowed.some((domain) => host === domain || host.endsWith(`.${domain}`));
      return (text) => linksIn(text).some(({ url }) => !isAllowed(URL.parse(url)?.hostname.toLowerCase() ?? ""));
    }
    case "mentions":
      return (_text, { mentions = 0 }) => mentions > trigger.more_than;
    case "capitals":
      return (text) => {
        const all = countOf(text, letters);
        return all >= trigger.letters && countOf(text, capitals) * 100 >= all * trigger.percent;
      };
    case "repeats": {
      const recent = recentBy(trigger.seconds);
      return (text, { userId, writtenMs = clock.now() }) => {
        if (!userId) return false;
        const same = text.trim().toLowerCase().slice(0, 200);
        return recent(userId, same, writtenMs).filter((one) => one === same).length >= trigger.times;
      };
    }
    case "floods": {
      const recent = recentBy(trigger.seconds);
      return (_text, { userId, writtenMs = clock.now() }) =>
        userId !== undefined && recent(userId, "", writtenMs).length > trigger.texts;
    }
    case "new_accounts":
      return (_text, { userId, writtenMs = clock.now() }) =>
        userId !== undefined && writtenMs - timeOfId(userId) < trigger.hours * hourMs;
  }
}

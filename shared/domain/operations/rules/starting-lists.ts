import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { RuleTrigger } from "#shared/contracts/views.ts";
import { managedRules } from "#shared/domain/base/filter/managed-rules.ts";
import { createManaged } from "#shared/domain/base/managed/write-managed.ts";
import type { Language } from "#shared/kernel/languages.ts";
import ar from "./starting-lists/ar.json" with { type: "json" };
import en from "./starting-lists/en.json" with { type: "json" };
import es from "./starting-lists/es.json" with { type: "json" };
import hi from "./starting-lists/hi.json" with { type: "json" };
import id from "./starting-lists/id.json" with { type: "json" };
import pt from "./starting-lists/pt.json" with { type: "json" };

/** Small lists of insults, threats, and advertisements: a start, which operators extend by what they see. */
export const startingLists: { readonly [In in Language]: Omit<RuleTrigger & { kind: "words" }, "kind"> } = {
  ...{ en, hi, ar, es, pt, id },
};

/** Creates a rule with the list of a language, which isn't enabled yet. @throws CONFLICT if it is there */
export async function addStartingList(caller: AdminPrincipal, language: Language): Promise<{ id: string }> {
  const rule = await createManaged(caller, managedRules, {
    name: `Starting list: ${language}`,
    enabled: false,
    scope: { kind: "service" },
    trigger: { kind: "words", ...startingLists[language] },
    action: { kind: "mask", text: "Please stay friendly." },
  });
  return { id: String(rule.id) };
}

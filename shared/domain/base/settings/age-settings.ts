import { type AgeProtection, ageFeatures, ageProtections } from "#shared/contracts/age-rights.ts";
import { listOf, oneOf } from "#shared/contracts/fields.ts";
import { setting } from "./define-setting.ts";

/** What people of an age band may do. */
export const bandSetting = (people: string) =>
  setting(
    listOf(oneOf(...ageFeatures))
      .max(ageFeatures.length)
      .unique(),
    [...ageFeatures],
    `What people ${people} may do: send \`gifts\`, write direct \`messages\`, write \`posts\`, make \`purchases\`, and open \`rooms\`. The age is what their app store says, or else their date of birth.`,
  );

/** What they are protected from, whatever they allow themselves. */
export const protectionSetting = (people: string, fallback: AgeProtection[]) =>
  setting(
    listOf(oneOf(...ageProtections))
      .max(ageProtections.length)
      .unique(),
    fallback,
    `What people ${people} are protected from: \`stranger_messages\` and being added to groups by others than their friends, receiving \`gifts\`, and \`search\`, suggestions, and leaderboards where others than their friends find them. The age is what their app store says, or else their date of birth.`,
  );

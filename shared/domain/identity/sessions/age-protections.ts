import { type AgeProtection, ageBands, bandYears } from "#shared/contracts/age-rights.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { ageYears } from "./standing.ts";

/**
 * SQL: whether the settings protect the user of the users row `u` from something, by their age, also while their
 * account is frozen. A constant while no band is protected from it, so that it costs nothing. It follows the settings:
 * compose statements with it when they are run.
 */
export function protectedFrom(what: AgeProtection): string {
  const ages = ageBands
    .filter((band) => setting(`${band}_protections`).includes(what))
    .map((band) => `[${bandYears[band].join(",")})`);
  return ages.length === 0 ? "false" : `(coalesce(${ageYears}, 18) <@ '{${ages.join(",")}}'::int4multirange)`;
}

/** SQL: whether the user of the users row `u` is hidden from a viewer, given by an expression: not from friends. */
export function hiddenFrom(viewer: string): string {
  const hidden = protectedFrom("search");
  if (hidden === "false") return hidden;
  return `(${hidden} AND NOT EXISTS (SELECT FROM friendships s WHERE s.user_id = ${viewer} AND s.friend_id = u.id))`;
}

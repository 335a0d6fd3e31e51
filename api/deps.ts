import type { Actors } from "#shared/contracts/actors.ts";

/** What handlers need from outside the domain; `shared/main/service.ts` gives it. */
export interface ApiDeps {
  readonly actors: Actors;
}

import type { Scenario } from "../tool/scenario.ts";
import { mixed, parts } from "./mixed.ts";

/** Returns all scenarios, by the names of their commands. */
export const scenarios = (): Readonly<Record<string, Scenario>> => ({ ...parts(), mixed });

import { nearestName } from "#shared/kernel/nearest-name.ts";
import type { RouteEntry } from "./route.ts";

/** Compiled once: a call of an unknown path is compared with hundreds of them. */
const patterns = new WeakMap<RouteEntry, RegExp>();

function patternOf(route: RouteEntry): RegExp {
  const known = patterns.get(route);
  if (known) return known;
  const pattern = new RegExp(`^${route.path.replace(/:\w+/g, "[^/]+")}${route.csv ? "(\\.csv)?" : ""}/?$`, "i");
  patterns.set(route, pattern);
  return pattern;
}

/**
 * Returns the routes at a path below the base path, of all methods. Like Express, the first match of a method handles
 * the call.
 */
export const routesAt = <R extends RouteEntry>(routes: readonly R[], path: string): R[] =>
  routes.filter((route) => patternOf(route).test(path));

/** Returns the path that a mistyped one probably means: that of a route from which one segment differs a little. */
export function nearestPath(routes: readonly RouteEntry[], path: string): string | undefined {
  const given = path.slice(0, 200).split("/");
  for (const route of routes) {
    const segments = route.path.split("/").map((segment, index) => (segment[0] === ":" ? given[index]! : segment));
    const different = segments.filter((segment, index) => segment !== given[index]);
    const typed = given[segments.indexOf(different[0]!)];
    if (segments.length === given.length && different.length === 1 && nearestName(typed ?? "", different))
      return segments.join("/");
  }
  return undefined;
}

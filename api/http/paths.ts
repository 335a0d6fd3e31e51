import { nearestName } from "#shared/kernel/nearest-name.ts";
import type { RouteEntry } from "./route.ts";

/**
 * Returns the routes at a path below the base path, of all methods. Like Express, the first match of a method handles
 * the call.
 */
export const routesAt = <R extends RouteEntry>(routes: readonly R[], path: string): R[] =>
  routes.filter((route) =>
    new RegExp(`^${route.path.replace(/:\w+/g, "[^/]+")}${route.csv ? "(\\.csv)?" : ""}/?$`, "i").test(path),
  );

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

import { clientEvents } from "#shared/contracts/client-events.ts";
import { serverEvents } from "#shared/contracts/events.ts";
import { errorCodes } from "#shared/kernel/error-codes.ts";
import type { Api } from "../http/api.ts";
import { keyOf } from "./asyncapi.ts";
import { guideEntries } from "./guides.ts";
import { operationHref, references } from "./reference-page.ts";

/** Something that the search of the documents finds. */
export interface SearchEntry {
  readonly label: string;
  readonly kind: "operation" | "client event" | "server event" | "error" | "guide";
  readonly href: string;
  /** What else it is found by. */
  readonly text: string;
}

const eventEntries = (
  kind: "request" | "push",
  table: Readonly<Record<string, { readonly summary: string }>>,
): SearchEntry[] =>
  Object.entries(table).map(([event, { summary }]) => ({
    label: event,
    kind: kind === "request" ? "client event" : "server event",
    href: `/docs/events#${keyOf(kind, event)}`,
    text: summary,
  }));

/** Returns all operations, events, errors, and guides. `apis` in the order of the references. */
export const searchIndex = (apis: readonly Api[]): SearchEntry[] => [
  ...apis.flatMap(({ basePath, routes }, index) =>
    routes.map((route) => ({
      label: route.summary,
      kind: "operation" as const,
      href: operationHref(references[index]!.path, route),
      text: `${route.method.toUpperCase()} ${basePath}${route.path} ${route.id}`,
    })),
  ),
  ...eventEntries("request", clientEvents),
  ...eventEntries("push", serverEvents),
  ...Object.entries(errorCodes).map(([code, { status, meaning }]) => ({
    label: code,
    kind: "error" as const,
    href: `/docs/errors#${code}`,
    text: `${status} ${meaning}`,
  })),
  ...guideEntries(),
];

import { useQuery } from "@tanstack/react-query";
import type { NamedRecord } from "../../../../shared/client/admin.ts";
import { useCan } from "../account.tsx";
import { call } from "../data.ts";
import { pathOfType } from "../resources/references.ts";

/** The most references of one call. */
const refsMax = 100;

/** The references that are asked for in this tick, and what waits for their names. */
let waiting: { readonly refs: Set<string>; readonly names: Promise<ReadonlyMap<string, NamedRecord>> } | undefined;

const refOf = (type: string, id: string | number): string => `${type}:${id}`;

/** Returns the name of a record; null if it doesn't exist or may not be read. All names of a tick are read at once. */
async function nameOf(ref: string): Promise<NamedRecord | null> {
  if (!waiting || waiting.refs.size >= refsMax) {
    const refs = new Set<string>();
    waiting = { refs, names: Promise.resolve().then(() => readNames(refs)) };
  }
  waiting.refs.add(ref);
  return (await waiting.names).get(ref) ?? null;
}

async function readNames(refs: ReadonlySet<string>): Promise<ReadonlyMap<string, NamedRecord>> {
  waiting = undefined;
  const found = await call("listNames", { query: { refs: [...refs].join(",") } });
  return new Map(found.map((record) => [refOf(record.type, record.id), record]));
}

/** Returns what people call a record; null if that can't be read, undefined until it is. */
export function useName(type: string, id: string | number): NamedRecord | null | undefined {
  const can = useCan()("dashboard.read") && id !== "";
  const ref = refOf(type, id);
  const { data, isError } = useQuery({
    queryKey: ["name", ref],
    queryFn: () => nameOf(ref),
    staleTime: 60_000,
    enabled: can,
  });
  return can && !isError ? data : null;
}

/** Returns the address of the page of a record; undefined for a kind without one. */
export function addressOf(type: string, id: string | number): string | undefined {
  if (type === "gift_transaction") return `/transactions?reference_type=gift_transaction&reference_id=${id}`;
  if (type === "ledger_transaction") return `/transactions?transaction_id=${id}`;
  if (type === "catalogue_balance_adjustment") return "/approvals";
  if (type === "comment") return "/comments";
  return pathOfType[type] && `${pathOfType[type]}/${id}`;
}

import { useMemo } from "react";
import { useLocation, useSearch } from "wouter";

export type Query = Readonly<Record<string, string>>;

/**
 * The query of the page's address, where a list keeps its filters, and a function that changes some of it: an empty
 * value removes a field.
 */
export function useAddress(): readonly [query: Query, change: (patch: Record<string, string | undefined>) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const query = useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search]);
  const change = (patch: Record<string, string | undefined>) => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(patch)) value ? next.set(name, value) : next.delete(name);
    navigate(next.size > 0 ? `${path}?${next}` : path);
  };
  return [query, change];
}

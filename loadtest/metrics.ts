import type { Process } from "./service.ts";

/** A Prometheus histogram: the cumulative count at each upper bound. */
export type Buckets = ReadonlyMap<number, number>;

/** Reads a histogram without labels from a service's `/metrics`. */
export async function bucketsOf({ url }: Process, name: string): Promise<Buckets> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const pattern = new RegExp(`^${name}_bucket\\{le="([^"]+)"\\} (\\S+)`, "gm");
  return new Map(
    [...text.matchAll(pattern)].map(([, bound, count]) => [Number(bound!.replace("+Inf", "Infinity")), Number(count)]),
  );
}

/** Returns an upper bound of a quantile: the lowest bound that contains this share of the observations. */
export function quantileOf(buckets: Buckets, share: number): number {
  const all = buckets.get(Number.POSITIVE_INFINITY) ?? 0;
  const bounds = [...buckets.keys()].sort((a, b) => a - b);
  return bounds.find((bound) => buckets.get(bound)! >= all * share) ?? Number.POSITIVE_INFINITY;
}

import type { Process } from "./service.ts";

/** A Prometheus histogram: the cumulative count at each upper bound. */
export type Buckets = ReadonlyMap<number, number>;

const textOf = async ({ url }: Process) => (await fetch(`${url}/metrics`)).text();

/** Reads a counter without labels from a service's `/metrics`. */
export const totalOf = async (process: Process, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)`, "m").exec(await textOf(process))?.[1]);

/** Reads a histogram from a service's `/metrics`. `label`: one of its series, such as `stage="push"`. */
export async function bucketsOf(process: Process, name: string, label = ""): Promise<Buckets> {
  const text = await textOf(process);
  const pattern = new RegExp(`^${name}_bucket\\{le="([^"]+)"${label && `,${label}`}\\} (\\S+)`, "gm");
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

/** Returns what was observed between two readings. */
export const since = (before: Buckets, after: Buckets): Buckets =>
  new Map([...after].map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)]));

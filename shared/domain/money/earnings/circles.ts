import type { GiftCircleEdge, GiftGraph } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inSnapshot } from "#shared/db/snapshot.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";

export interface CircleFilter {
  /** ISO 8601; `to` is exclusive. */
  readonly from: string;
  readonly to: string;
  /** The least coins from one account to another that count. */
  readonly min_coins: number;
  /** How many accounts a circle has at most: more are a community. */
  readonly max_accounts: number;
}

/** How long a period can be, in days. */
export const periodMax = 92;
/** How many pairs of accounts are looked at: those with the most coins. */
const edgesMax = 20_000;

type Edge = Omit<GiftCircleEdge, "circle" | "accounts">;

/** All gifts of a period as pairs of accounts. The IDs of gifts are in the order of time. */
const edgesOf = ({ from, to, min_coins }: CircleFilter): Promise<Edge[]> =>
  query<Edge & Record<string, unknown>>(
    `WITH edges AS (
       SELECT sender_id, recipient_id, sum(total_coins) AS coins, sum(bought_coins) AS bought, count(*) AS gifts
       FROM gift_transactions WHERE id >= $1 AND id < $2
       GROUP BY 1, 2 HAVING sum(total_coins) >= $3 ORDER BY coins DESC, 1, 2 LIMIT $4
     ), used AS MATERIALIZED (
       SELECT DISTINCT s.user_id, s.device_hash, s.ip FROM sessions s
       WHERE s.user_id IN (SELECT sender_id FROM edges UNION SELECT recipient_id FROM edges)
     )
     SELECT e.sender_id AS from_id, f.username AS "from", e.recipient_id AS to_id, t.username AS "to", e.coins::bigint,
       e.bought::bigint, e.gifts,
       EXISTS (SELECT FROM used a JOIN used b ON b.device_hash = a.device_hash
         WHERE a.user_id = e.sender_id AND b.user_id = e.recipient_id) AS same_device,
       EXISTS (SELECT FROM used a JOIN used b ON b.ip = a.ip
         WHERE a.user_id = e.sender_id AND b.user_id = e.recipient_id) AS same_network
     FROM edges e JOIN users f ON f.id = e.sender_id JOIN users t ON t.id = e.recipient_id
     ORDER BY e.coins DESC, e.sender_id, e.recipient_id`,
    [firstIdAt(Date.parse(from)), firstIdAt(Date.parse(to)), min_coins, edgesMax],
  );

/** Returns the number of each account's component: those that can be reached from each other along the edges. */
export function componentsOf(edges: readonly (readonly [from: string, to: string])[]): Map<string, number> {
  const next = Map.groupBy(edges, ([from]) => from);
  const back = Map.groupBy(edges, ([, to]) => to);
  // Kosaraju's algorithm, without recursion: the graph may be deep.
  const order: string[] = [];
  const seen = new Set<string>();
  for (const start of new Set(edges.flat())) {
    const stack: [string, boolean][] = [[start, false]];
    for (let top = stack.pop(); top; top = stack.pop()) {
      const [account, done] = top;
      if (done) order.push(account);
      if (done || seen.has(account)) continue;
      seen.add(account);
      stack.push([account, true]);
      for (const [, to] of next.get(account) ?? []) stack.push([to, false]);
    }
  }
  const components = new Map<string, number>();
  for (const [number, start] of order.toReversed().entries()) {
    const stack = [start];
    for (let account = stack.pop(); account; account = stack.pop()) {
      if (components.has(account)) continue;
      components.set(account, number);
      for (const [from] of back.get(account) ?? []) stack.push(from);
    }
  }
  return components;
}

/** Returns the edges that are in a circle of few accounts or between accounts of one device or network. */
function suspicious(edges: readonly Edge[], max: number): Omit<GiftCircleEdge, "circle">[] {
  const components = componentsOf(edges.map(({ from_id, to_id }) => [from_id, to_id]));
  const sizes = new Map<number, number>();
  for (const component of components.values()) sizes.set(component, (sizes.get(component) ?? 0) + 1);
  return edges.flatMap((edge) => {
    const component = components.get(edge.from_id)!;
    const size = component === components.get(edge.to_id) ? sizes.get(component)! : 0;
    const inCircle = size > 1 && size <= max;
    return inCircle || edge.same_device || edge.same_network ? [{ ...edge, accounts: inCircle ? size : 2 }] : [];
  });
}

/** Returns the edges of all circles, each circle together, that with the strongest edge first. */
async function findCircles(filter: CircleFilter): Promise<GiftCircleEdge[]> {
  const length = Date.parse(filter.to) - Date.parse(filter.from);
  if (length <= 0 || length > daysMs(periodMax))
    throw invalidFields([
      { field: "to", text: "{{field}} must be 1 to {{count}} days after from", values: { count: periodMax } },
    ]);
  const edges = await inSnapshot(() => edgesOf(filter), { isLong: true });
  const found = suspicious(edges, filter.max_accounts);
  const circles = componentsOf(
    found.flatMap(
      ({ from_id, to_id }) =>
        [
          [from_id, to_id],
          [to_id, from_id],
        ] as const,
    ),
  );
  const numbers = new Map<number, number>();
  const numbered = found.map((edge): GiftCircleEdge => {
    const component = circles.get(edge.from_id)!;
    if (!numbers.has(component)) numbers.set(component, numbers.size + 1);
    return { circle: numbers.get(component)!, ...edge };
  });
  return numbered.sort((one, other) => one.circle - other.circle);
}

const pageOf = <Item>(items: readonly Item[], page: PageQuery): Page<Item> =>
  toPage(items.slice(offsetOf(page), offsetOf(page) + page.limit), items.length, page);

/**
 * Lists who gives to whom in circles of few accounts, or to accounts that were logged in on the same device or network,
 * those with the most coins first, edge by edge. It is no verdict: families share networks, and friends give each other
 * gifts.
 * @throws VALIDATION_ERROR if the period is longer than `periodMax` days
 */
export const listCircles = async (filter: CircleFilter, page: PageQuery): Promise<Page<GiftCircleEdge>> =>
  pageOf(await findCircles(filter), page);

/** How many edges of a graph are shown: those with the most coins. */
export const shownEdgesMax = 200;

/** Returns the same circles as graphs. @throws VALIDATION_ERROR as `listCircles` */
export async function listGraphs(filter: CircleFilter, page: PageQuery): Promise<Page<GiftGraph>> {
  const circles = [...Map.groupBy(await findCircles(filter), ({ circle }) => circle).values()];
  const { items, ...rest } = pageOf(circles, page);
  return { ...rest, items: items.map(graphOf) };
}

function graphOf(all: readonly GiftCircleEdge[]): GiftGraph {
  const edges = all.slice(0, shownEdgesMax).map(({ circle: _, ...edge }) => edge);
  const nodes = new Map<string, GiftGraph["nodes"][number]>();
  const node = (id: string, username: string) => {
    const known = nodes.get(id) ?? { id, username, sent: 0, received: 0 };
    nodes.set(id, known);
    return known;
  };
  for (const { from_id, from, to_id, to, coins } of edges) {
    node(from_id, from).sent += coins;
    node(to_id, to).received += coins;
  }
  const coins = all.reduce((sum, edge) => sum + edge.coins, 0);
  return { circle: all[0]!.circle, coins, nodes: [...nodes.values()], edges, left_out: all.length - edges.length };
}

import { type Call, HubbubError } from "#shared/client/client.ts";
import { newKey } from "#shared/client/timing.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { mapConcurrently } from "../game-tables.ts";
import { type Crew, isUnknown, type Member } from "../tool/crew.ts";
import type { Play, Scenario } from "../tool/scenario.ts";

/** Of so many calls, one is an order. */
const orderEvery = 10;

interface Field {
  readonly field_name: string;
  /** The values of a choice, by their keys. */
  readonly option?: Readonly<Record<string, string>>;
}

/** Something that fits a field of an order. */
const answerTo = ({ option }: Field): string => (option && Object.keys(option)[0]) ?? "12345678";
interface TopUp {
  readonly id: number;
  readonly slug: string;
}
interface Details {
  readonly topUp: { id: number; order_information: readonly Field[]; active_services: readonly { id: number }[] };
}
interface Paged {
  readonly items: readonly { id: number }[];
  readonly last_page: number;
}

/** A reseller's program. The typed client doesn't call the catalogue API, which has its own tokens and envelope. */
class Shop {
  readonly name: string;
  readonly #url: string;
  readonly #bearer: string;
  readonly #timeout: number;

  private constructor(name: string, url: string, bearer: string, timeout: number) {
    this.name = name;
    this.#url = `${url}/catalogue`;
    this.#bearer = bearer;
    this.#timeout = timeout;
  }

  static async open({ client, name }: Member, { options: { url, timeout } }: Crew): Promise<Shop> {
    const keys = await client.request("createApiKey", { body: { name: "Load test" } });
    const headers = { PublicKey: keys.public_key, SecretKey: keys.secret_key };
    const answer = await fetch(`${url}/catalogue/generate/authorization-token`, { method: "POST", headers });
    const { bearer_token } = (await answer.json()) as { bearer_token?: string };
    if (!bearer_token) throw new OperatorError(`The catalogue gives no token: HTTP ${answer.status}.`);
    return new Shop(name, url, bearer_token, timeout);
  }

  /** @throws HubbubError */
  async call<T>(path: string, form?: Record<string, string>): Promise<T> {
    const response = await fetch(`${this.#url}${path}`, {
      headers: { authorization: `Bearer ${this.#bearer}` },
      signal: AbortSignal.timeout(this.#timeout),
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    }).catch((error: Error) => {
      throw new HubbubError(error.name === "TimeoutError" ? "TIMEOUT" : "NETWORK_ERROR", error.message);
    });
    const { status, message } = (await response.json()) as { status: string; message: T };
    if (status !== "success") throw new HubbubError(`HTTP_${response.status}` as never, JSON.stringify(message));
    return message;
  }

  /** Counts all orders. */
  async orders(): Promise<number> {
    const ids = new Set<number>();
    for (let page = 1, last = 1; page <= last; page += 1) {
      const { items, last_page } = await this.call<Paged>(`/orders?page=${page}`);
      for (const { id } of items) ids.add(id);
      last = last_page;
    }
    return ids.size;
  }
}

export const catalogue: Scenario = {
  description: "resellers read the catalogue and order top-ups: each acknowledged order exists once",
  doors: ["rest"],
  clients: 10,
  rate: 50,
  rooms: 1,
  open: async (crew) => {
    const shops = await mapConcurrently(crew.members, 4, (member) => Shop.open(member, crew));
    const { items } = await shops[0]!.call<{ items: readonly TopUp[] }>("/top-up/list");
    if (items.length === 0) throw new OperatorError("The catalogue has no top-ups.");
    const { topUp } = await shops[0]!.call<Details>(`/top-up/details?slug=${encodeURIComponent(items[0]!.slug)}`);
    return shopping(crew, shops, items, topUp);
  },
};

async function shopping(
  crew: Crew,
  shops: readonly Shop[],
  topUps: readonly TopUp[],
  { id, order_information, active_services }: Details["topUp"],
): Promise<Play> {
  const placed = new Map(await mapConcurrently(shops, 4, async (shop) => [shop, await shop.orders()] as const));
  const open: { shop: Shop; form: Record<string, string> }[] = [];
  const order = (shop: Shop, form: Record<string, string>) => shop.call("/top-up/make-order", form) as Call<unknown>;
  const count = (shop: Shop) => placed.set(shop, placed.get(shop)! + 1);
  const form = () => ({
    topUpId: `${id}`,
    serviceId: `${active_services[0]!.id}`,
    ...Object.fromEntries(order_information.map((field) => [field.field_name, answerTo(field)])),
    idempotency_key: newKey(),
  });
  return {
    act: async ({ dueMs, number }) => {
      const shop = crew.dice.pick(shops);
      const { slug } = crew.dice.pick(topUps);
      if (number % orderEvery === 0) {
        const values = form();
        const { error } = await crew.measure("make-order", dueMs, () => order(shop, values));
        if (!error) count(shop);
        else if (isUnknown(error.code)) open.push({ shop, form: values });
      } else if (number % 2 === 0) {
        await crew.measure("top-up/list", dueMs, () => shop.call("/top-up/list") as Call<unknown>);
      } else {
        const path = `/top-up/details?slug=${encodeURIComponent(slug)}`;
        await crew.measure("top-up/details", dueMs, () => shop.call(path) as Call<unknown>);
      }
    },
    finish: async () => {
      // The key tells what became of those without an answer.
      for (const { shop, form: values } of open) await order(shop, values).then(() => count(shop));
      for (const [shop, expected] of placed) {
        const found = await shop.orders();
        if (found !== expected) crew.violation(`${shop.name} has ${found} orders, but ${expected} were acknowledged`);
      }
    },
    close: () => {},
  };
}

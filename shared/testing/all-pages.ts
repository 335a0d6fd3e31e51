import type { Payload } from "./clients/clients.ts";
import type { ApiClient } from "./service.ts";

/** Returns the items of all pages of a list, which may hold what other tests have built, too. */
export async function allPages(call: ApiClient, path: string, token: string): Promise<Payload[]> {
  const items: Payload[] = [];
  for (let page = 1, more = true; more; page += 1) {
    const { body } = await call("get", `${path}?limit=100&page=${page}`, { token });
    items.push(...body.data.items);
    more = page < body.data.total_pages;
  }
  return items;
}

import { expect } from "chai";
import { demoKeys } from "#shared/domain/operations/demo/seed-catalogue.ts";
import { press } from "../clients/watched-page.ts";
import type { Walk } from "./use-console.ts";

/** Walks the pages about the catalogue. */
export const describeCataloguePages = (walk: Walk) =>
  describe("about the catalogue", () => {
    const { visit, seen, dialog } = walk;

    /** Places an order with the API keys of a demo user. Returns its ID. */
    async function placeOrder(path: string, form: Record<string, string>, idempotency_key: string): Promise<string> {
      const call = async (at: string, headers: Record<string, string>, body?: URLSearchParams) => {
        const init = { method: "POST", headers, ...(body && { body }) };
        const response = await fetch(`${walk.service.url}/catalogue${at}`, init);
        expect(response.status, await response.clone().text()).to.be.below(300);
        return (await response.json()) as { bearer_token: string };
      };
      const pair = { PublicKey: demoKeys.publicKey, SecretKey: demoKeys.secretKey };
      const { bearer_token } = await call("/generate/authorization-token", pair);
      await call(path, { authorization: `Bearer ${bearer_token}` }, new URLSearchParams({ ...form, idempotency_key }));
      const { items } = await walk.admin.request("listCatalogueOrders", { query: { sort: "-created_at", limit: 1 } });
      return String(items[0]!.id);
    }

    /** Orders a card that isn't delivered by itself. */
    async function placeCardOrder(key: string): Promise<string> {
      const { admin } = walk;
      const { id: serviceId, card_id: cardId } = (await admin.request("listCodeStock")).items[0]!;
      const card = { params: { id: String(cardId) }, body: { instant_delivery: 0 } } as const;
      await admin.request("updateCatalogueCard", card);
      return placeOrder("/card/make-order", { cardId: `${cardId}`, serviceId: `${serviceId}` }, key);
    }
    const statusOf = async (id: string) => (await walk.admin.request("getCatalogueOrder", { params: { id } })).status;
    const open = async (id: string) => visit(`/catalogue/orders/${id}`, `Order ${id}`);

    it("complete an order by hand, and cancel another", async () => {
      const { page } = walk;
      const id = await placeCardOrder("first");
      await visit("/catalogue", "Fulfilment");
      await page.locator(`[href="/admin/catalogue/orders/${id}"]`).click();
      await walk.heading(`Order ${id}`);
      await page.getByLabel("For the reseller").fill("Sent by hand");
      await press(page, "Complete");
      await dialog().getByText("The order is completed for good.").waitFor();
      await press(dialog(), "Complete");
      await seen("The order was completed.");
      expect(await statusOf(id)).to.equal("completed");

      const other = await placeCardOrder("second");
      await open(other);
      await page.getByLabel("For the reseller").fill("Out of stock");
      await press(page, "Cancel the order");
      await dialog().getByText("What it took goes back").waitFor();
      await press(dialog(), "Cancel the order");
      await seen("The order was cancelled.");
      expect(await statusOf(other)).to.equal("cancelled");
    });

    it("ask the provider about an order whose outcome is unknown", async () => {
      const { admin, page } = walk;
      const { items } = await admin.request("listCatalogueTopUps", { query: { q: "Tidebound" } });
      const [topUp] = items;
      const services = await admin.request("listCatalogueServices", { query: { top_up_id: topUp!.id, limit: 1 } });
      const form = { topUpId: `${topUp!.id}`, serviceId: `${services.items[0]!.id}`, Player_Id: "unknown" };
      const id = await placeOrder("/top-up/make-order", form, "third");
      await open(id);
      await seen("The provider's outcome is unknown");
      await press(page, "Check with the provider");
      await dialog().getByText("The provider is asked now.").waitFor();
      await press(dialog(), "Check with the provider");
      await seen("The provider was asked.");
      await page.getByText("Completed", { exact: true }).first().waitFor();
      expect(await statusOf(id)).to.equal("completed");
    });

    it("end a campaign", async () => {
      const { admin, page } = walk;
      await visit("/catalogue", "Fulfilment");
      const campaigns = page.getByRole("region", { name: "Running campaigns" });
      await press(campaigns, "End");
      await dialog().getByText("Orders are at the regular price immediately.").waitFor();
      await press(dialog(), "End");
      await campaigns.getByText("None").waitFor();
      const { items } = await admin.request("listCatalogueCampaigns", { query: { status: "running" } });
      expect(items).to.deep.equal([]);
    });

    it("import codes, and say which lines were not accepted", async () => {
      const { page } = walk;
      const { id } = (await walk.admin.request("listCodeStock")).items[0]!;
      await visit(`/catalogue/card-services/${id}/codes`, "Import codes");
      await page.getByLabel("Or paste the codes").fill("code\nABCD-0001\n\nABCD-0001\nABCD-0002\nx\n");
      await press(page, "Import 4 codes");
      const result = page.getByRole("region", { name: "Result" });
      await result.getByText("4 of 4 lines. 2 accepted. 2 not accepted.").waitFor();
      expect(await result.locator("tbody tr").allTextContents()).to.deep.equal([
        "4Duplicate: already in the file, in stock, or sold",
        "6Malformed: 4 to 128 visible characters are allowed",
      ]);
    });
  });

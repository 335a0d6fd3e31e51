import { expect } from "chai";
import type { Receipt, ReceiptNote } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { loadSettings, rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { minutesMs } from "#shared/kernel/clock.ts";
import { languages } from "#shared/kernel/languages.ts";
import { textOf } from "#shared/kernel/translate.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { buildUser } from "#shared/testing/factories.ts";
import "#shared/testing/fakes/sandbox-payments.ts";
import { act } from "#shared/testing/pay.ts";
import { buildPackage } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";

describe("receipts of purchases", () => {
  const service = useService();
  const clock = useClock();
  before(() =>
    rememberSettings({
      seller_name: "Ada & Sons",
      seller_address: "1 Main Street\nPune",
      seller_tax_id: "T1",
      tax_rates: ["IN:1850"],
    }),
  );
  after(loadSettings);

  /** A user in India with an order of 100 coins for 99.00, paid unless it shall be open. */
  async function ordered({ isPaid = true } = {}) {
    const [user, pack] = await Promise.all([buildUser(), buildPackage({ price: 9_900 })]);
    await query("UPDATE users SET full_name = 'Zoë <b>', country = 'IN' WHERE id = $1", [user.id]);
    const call = { token: user.token, body: { package_id: pack.id } };
    const { id, provider_order_id: at } = (await service.call("post", "/payments/orders", call)).body.data.order;
    const tell = async (action: "pay" | "refund") =>
      service.call("post", "/payments/webhook/sandbox", { ...(await act(at, action)) });
    if (isPaid) await tell("pay");
    return { user, id: id as string, tell };
  }
  const answerOf = (token: string, orderId: string) =>
    service.call("get", `/payments/orders/${orderId}/receipt`, { token });
  const receiptOf = async ({ user, id }: Awaited<ReturnType<typeof ordered>>): Promise<Receipt> =>
    (await answerOf(user.token, id)).body.data;

  async function open(url: string, language = "en") {
    const response = await fetch(url, { headers: { "Accept-Language": language } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  /** The words of a page, without its markup. */
  const wordsOf = (text: string) => text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

  it("are shown to the buyer, with a page that states the seller, the tax, and what was paid", async () => {
    const bought = await ordered();
    const receipt = await receiptOf(bought);
    expect(receipt).to.deep.include({ kind: "receipt", gross: 9_900, tax: 1_546, country: "IN", notes: [] });
    const { status, headers, text } = await open(receipt.page_url);
    expect(status).to.equal(200);
    expect(headers.get("cache-control")).to.equal("no-store");
    expect(headers.get("referrer-policy")).to.equal("no-referrer");
    const pdf = await fetch(`${receipt.page_url}?format=pdf`);
    expect([pdf.status, pdf.headers.get("content-type")]).to.deep.equal([200, "application/pdf"]);
    expect((await pdf.text()).slice(0, 5)).to.equal("%PDF-");
    const words = wordsOf(text);
    for (const said of [
      `Receipt ${receipt.number}`,
      "Ada &amp; Sons 1 Main Street Pune Tax number: T1",
      `Buyer Zoë &lt;b&gt; (@${bought.user.username})`,
      "Country India",
      `Order ${bought.id}`,
      "100 coins ₹99.00",
      "Without tax ₹83.54",
      "Tax, 18.5% ₹15.46",
      "Total ₹99.00",
    ])
      expect(words).to.include(said);
  });

  it("have a page for each credit note, which names the receipt", async () => {
    const bought = await ordered();
    await bought.tell("refund");
    const { number, notes } = await receiptOf(bought);
    expect(notes.map(({ kind, gross }) => [kind, gross])).to.deep.equal([["credit_note", -9_900]]);
    const words = wordsOf((await open(notes[0]!.page_url)).text);
    for (const said of [`Credit note ${notes[0]!.number}`, `Changes receipt ${number}`, "Total -₹99.00"])
      expect(words).to.include(said);
  });

  it("are in the language of their reader", async () => {
    const { page_url, created_at } = await receiptOf(await ordered());
    for (const language of languages) {
      const { text } = await open(page_url, language);
      const date = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
      const total = textOf(language, "pages", "Total");
      expect(text)
        .to.include(`lang="${language}"`)
        .and.include(total)
        .and.include(date.format(new Date(created_at)));
    }
  });

  it("leave the tax of what a store has sold to its own receipt", async () => {
    const bought = await ordered();
    await query("UPDATE receipts SET tax_rate = NULL, tax = 0, net = gross WHERE order_id = $1", [bought.id]);
    const words = wordsOf((await open((await receiptOf(bought)).page_url)).text);
    expect(words).to.include("The store has sold this.").and.not.include("Without tax");
  });

  it("don't exist for others, and not before an order is paid", async () => {
    const [bought, stranger, unpaid] = await Promise.all([ordered(), buildUser(), ordered({ isPaid: false })]);
    for (const [token, id] of [
      [stranger.token, bought.id],
      [unpaid.user.token, unpaid.id],
    ] as const) {
      const { status, body } = await answerOf(token, id);
      expect([status, body.error.code]).to.deep.equal([404, "NOT_FOUND"]);
    }
  });

  it("have links that can't be made up, changed, or used after an hour", async () => {
    const [one, other] = [await receiptOf(await ordered()), await receiptOf(await ordered())];
    const { origin, pathname } = new URL(one.page_url);
    const [, , id, until, signature] = pathname.split("/");
    const [, , otherId] = new URL(other.page_url).pathname.split("/");
    for (const path of [
      `${otherId}/${until}/${signature}`,
      `${id}/${Number(until) + 3600}/${signature}`,
      `${id}/${until}/${signature!.slice(0, -2)}`,
      `${id}/${until}/${"A".repeat(43)}`,
      `%00/${until}/${signature}`,
    ])
      expect((await open(`${origin}/receipts/${path}`)).status, path).to.equal(404);
    clock.forward(minutesMs(59));
    expect((await open(one.page_url)).status).to.equal(200);
    clock.forward(minutesMs(2));
    expect((await open(one.page_url)).status).to.equal(404);
  });

  it("stay when their buyer is erased, with the country and without a name", async () => {
    const bought = await ordered();
    const { page_url } = await receiptOf(bought);
    await query("UPDATE users SET status = 'deleted', country = NULL WHERE id = $1", [bought.user.id]);
    const { status, text } = await open(page_url);
    expect(status).to.equal(200);
    expect(wordsOf(text)).to.include("Country India").and.not.include("Zoë").and.not.include(bought.user.username);
  });

  it("are in the lists of administrators, who find them by their number and open them", async () => {
    const { token } = await buildAdmin(["orders.read"]);
    const bought = await ordered();
    await bought.tell("refund");
    const { number, notes } = await receiptOf(bought);
    const get = async (path: string) => (await service.admin("get", path, { token })).body.data;
    for (const searched of [number, notes[0]!.number]) {
      const { items } = await get(`/orders?receipt_number=${searched}`);
      expect(items).to.have.length(1);
      expect(items[0]).to.include({ id: bought.id, receipt_number: number });
    }
    expect((await get("/orders?receipt_number=R-2000-000001")).items).to.deep.equal([]);
    const { receipt_number, receipts } = await get(`/orders/${bought.id}`);
    expect(receipt_number).to.equal(number);
    const pages = await Promise.all(receipts.map(({ page_url }: ReceiptNote) => open(page_url)));
    expect(pages.map(({ status }) => status)).to.deep.equal([200, 200]);
  });
});

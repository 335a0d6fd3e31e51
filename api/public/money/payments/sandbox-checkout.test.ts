import { expect } from "chai";
import type { Page } from "playwright-core";
import { query } from "#shared/db/query.ts";
import { orderCoins } from "#shared/domain/money/payments/create-order.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { assert } from "#shared/kernel/assert.ts";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useSandbox } from "#shared/testing/fakes/sandbox-payments.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildPackage, walletBalance } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";

describe("the sandbox's checkout", () => {
  const service = useService();
  const browser = useBrowser();
  let page: Page;
  let complaints: string[] = [];

  beforeEach(async () => {
    complaints = [];
    page = await browser.current.newPage({ viewport: { width: 420, height: 800 } });
    page.setDefaultTimeout(50_000);
    // Violations of the content policy are console errors, too.
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== service.url) complaints.push(`elsewhere: ${request.url()}`);
    });
  });
  afterEach(async () => {
    await page.close();
    expect(complaints, "what the browser complains of").to.deep.equal([]);
  });

  async function ordered() {
    const [user, pack] = await Promise.all([buildUser(), buildPackage({ coins: 550, bonus_coins: 50, price: 49_900 })]);
    const { order, providerPayload } = await orderCoins(callerOf(user), pack.id);
    const statusNow = async () =>
      (await service.call("get", `/payments/orders/${order.id}`, { token: user.token })).body.data.status;
    assert(providerPayload.provider === "sandbox", "tests pay in the sandbox");
    return { user, at: order.provider_order_id!, url: providerPayload.checkout_url, statusNow };
  }

  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const status = () => page.getByRole("status").textContent();
  const buttons = () => page.getByRole("button").allTextContents();

  it("accepts the payment, notifies the service, and shows the values for the client", async () => {
    const { user, url, at, statusNow } = await ordered();
    await page.goto(url);
    expect(await page.title()).to.match(/600 coins · Sandbox checkout$/);
    expect(await page.locator(".price").textContent()).to.equal("₹499.00");
    expect([await status(), await buttons()]).to.deep.equal(["Waiting for payment", ["Pay", "Decline"]]);
    await press("Pay");
    await page.getByText("The webhook returned 200.").waitFor();
    expect(await status()).to.equal("Paid");
    expect([await statusNow(), await walletBalance(user.id)]).to.deep.equal(["paid", 600]);
    const shown = await page.locator("dd code").allTextContents();
    const [payment_provider_order_id, payment_provider_payment_id, payment_provider_signature] = shown;
    const body = { payment_provider_order_id, payment_provider_payment_id, payment_provider_signature };
    const verified = await service.call("post", "/payments/verify", { token: user.token, body });
    expect(verified.body.data).to.include({ provider_order_id: at, status: "paid" });
    expect(await walletBalance(user.id)).to.equal(600);
  });

  it("declines, and accepts a later payment", async () => {
    const { user, url, statusNow } = await ordered();
    await page.goto(url);
    await press("Decline");
    await page.getByText("Payment failed").waitFor();
    expect([await statusNow(), await walletBalance(user.id)]).to.deep.equal(["failed", 0]);
    await press("Pay");
    await page.locator('[data-status="paid"]').waitFor();
    expect([await statusNow(), await walletBalance(user.id)]).to.deep.equal(["paid", 600]);
  });

  it("shows an overdue order as expired at once, and still accepts its payment", async () => {
    const { user, url, at, statusNow } = await ordered();
    await query("UPDATE payment_orders SET expires_at = now() WHERE provider_order_id = $1", [at]);
    await page.goto(url);
    expect([await status(), await statusNow()]).to.deep.equal(["Expired (payments are still accepted)", "expired"]);
    await press("Pay");
    await page.locator('[data-status="paid"]').waitFor();
    expect([await statusNow(), await walletBalance(user.id)]).to.deep.equal(["paid", 600]);
  });

  it("refunds, and resends a webhook without a second effect", async () => {
    const { user, url, statusNow } = await ordered();
    await page.goto(url);
    await press("Pay");
    await press("Resend webhook");
    expect(await walletBalance(user.id)).to.equal(600);
    await press("Refund");
    await page.locator('[data-status="refunded"]').waitFor();
    expect([await statusNow(), await walletBalance(user.id)]).to.deep.equal(["refunded", 0]);
    expect(await buttons()).to.deep.equal(["Resend webhook"]);
    await press("Resend webhook");
    await page.getByText("The webhook returned 200.").waitFor();
    expect(await walletBalance(user.id)).to.equal(0);
  });

  it("works by keyboard and at double text size without overflowing", async () => {
    const { url } = await ordered();
    await page.goto(url);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).to.equal("Pay");
    await page.keyboard.press("Enter");
    await page.locator('[data-status="paid"]').waitFor();
    // With its style.
    await page.waitForLoadState();
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).to.equal(true);
  });

  const post = (url: string, body: string) =>
    fetch(url, {
      method: "POST",
      body,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      redirect: "manual",
    });

  it("pays once under repeated and concurrent clicks, and rejects unknown actions", async () => {
    const { user, url, statusNow } = await ordered();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(url, "action=pay")));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(8).fill(303));
    const delivered = answers.filter(({ headers }) => headers.get("location")?.endsWith("?webhook=200"));
    expect(delivered).to.have.length(1);
    expect(await walletBalance(user.id)).to.equal(600);
    expect((await post(url, "action=decline")).headers.get("location")).to.not.include("webhook");
    expect(await statusNow()).to.equal("paid");
    for (const body of ["", "action=steal", "action=constructor", "action=pay&action=pay", "action=pay&coins=1"])
      expect((await post(url, body)).status, body).to.equal(400);
  });

  it("sends a strict policy, is never cached, and is not found for an unknown order", async () => {
    const { url } = await ordered();
    const { headers } = await fetch(url);
    expect(headers.get("content-security-policy")).to.include("default-src 'none'").and.not.include("unsafe");
    expect(headers.get("cache-control")).to.equal("no-store");
    const elsewhere = ["order_sbxnobodys", "%3Cscript%3E", "a".repeat(256)];
    const statuses = await Promise.all(
      elsewhere.map(async (id) => (await fetch(`${service.url}/sandbox/checkout/${id}`)).status),
    );
    expect(statuses).to.deep.equal([404, 400, 400]);
  });

  it("is not found with another provider, or none", async () => {
    const { url } = await ordered();
    try {
      configurePayments({});
      expect((await fetch(url)).status).to.equal(404);
      expect((await post(url, "action=pay")).status).to.equal(404);
    } finally {
      useSandbox();
    }
  });
});

import { expect } from "chai";
import type { Page } from "playwright-core";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { listApiKeys } from "#shared/domain/identity/api-keys/api-keys.ts";
import { issueToken } from "#shared/domain/identity/api-keys/api-tokens.ts";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

const path = "/account/api-keys";

describe("the page of API keys", () => {
  const service = useService();
  const browser = useBrowser();
  let owner: BuiltUser;
  beforeEach(async () => {
    owner = await buildUser();
  });

  const logIn = async (page: Page, password: string) => {
    await page.getByLabel("Username or email address").fill(owner.username.toUpperCase());
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
  };

  it("lets a user create and revoke a key on a phone, without scripts", async () => {
    const context = await browser.current.newContext({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 800 },
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    const fits = async () => expect(await page.evaluate("document.documentElement.scrollWidth")).to.be.at.most(390);
    await page.goto(`${service.url}${path}`);

    await logIn(page, "not the password");
    expect(await page.getByRole("alert").textContent()).to.include("password");
    await logIn(page, owner.password);
    await page.getByText("You have no keys.").waitFor();
    await page.getByLabel("Name").fill("<b>Shop</b> server");
    await page.getByLabel("IP addresses").fill("203.0.113.0/24, 127.0.0.1\n::1");
    await page.getByRole("button", { name: "Create key" }).click();
    const made = page.getByRole("status");
    expect(await made.textContent()).to.include("<b>Shop</b> server was created");
    const [publicKey, secretKey] = await made.locator("code").allTextContents();
    await fits();
    await issueToken(publicKey!, secretKey!, "203.0.113.9");
    await page.goto(`${service.url}${path}`);

    expect(await page.content()).not.to.include(secretKey);
    const item = page.getByRole("listitem");
    expect(await item.textContent())
      .to.include(publicKey)
      .and.match(/UTC · 203\.0\.113\.9/)
      .and.include("203.0.113.0/24, 127.0.0.1/32, ::1/128");
    await fits();
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("You have no keys.").waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("Log in to manage").waitFor();
    expect(await listApiKeys(owner.id)).to.deep.equal([]);
    expect(complaints.filter((text) => !text.includes("401"))).to.deep.equal([]);
    await context.close();
  });

  describe("of a browser that is logged in", () => {
    const post = (below: string, cookie: string, fields: Record<string, string> = {}) =>
      fetch(`${service.url}${path}${below}`, {
        method: "POST",
        redirect: "manual",
        headers: { cookie },
        body: new URLSearchParams(fields),
      });
    const open = async (cookie = "") => {
      const response = await fetch(`${service.url}${path}`, { headers: { cookie } });
      const set = response.headers.get("set-cookie") ?? "";
      const text = await response.text();
      return {
        response,
        text,
        set,
        cookie: set.split(";")[0] || cookie,
        token: /name="form_token" value="(.*?)"/.exec(text)![1]!,
      };
    };
    const enter = async () => {
      const { cookie, token } = await open();
      const entered = await post("/login", cookie, {
        ...{ form_token: token, identifier: owner.username, password: owner.password },
      });
      expect(entered.status).to.equal(303);
      return open(entered.headers.get("set-cookie")!.split(";")[0]);
    };

    it("keeps the login in a cookie that scripts and other sites don't get", async () => {
      const { set, response } = await open();

      expect(set).to.match(/Max-Age=900; Path=\/account\/api-keys;.* HttpOnly; SameSite=Lax/);
      expect(response.headers.get("cache-control")).to.equal("no-store");
      expect(response.headers.get("content-security-policy"))
        .to.include("default-src 'none'")
        .and.not.include("script-src");
    });

    it("rejects a form that no page of this browser contained", async () => {
      const { cookie, token } = await enter();
      const other = await enter();

      const answers = [
        await post("", cookie, { name: "Shop" }),
        await post("", cookie, { name: "Shop", form_token: other.token }),
        await post("", other.cookie, { name: "Shop", form_token: token }),
        await post("/login", (await open()).cookie, { identifier: owner.username, password: owner.password }),
      ];

      expect(answers.map(({ status }) => status)).to.deep.equal([403, 403, 403, 403]);
      expect(await listApiKeys(owner.id)).to.deep.equal([]);
    });

    it("asks for a login again when the account is suspended, or the login has ended", async () => {
      const [first, second] = [await enter(), await enter()];
      expect((await post("/logout", first.cookie, { form_token: first.token })).status).to.equal(303);
      const ended = await post("", first.cookie, { name: "Shop", form_token: first.token });
      await suspendUser(serviceItself, owner.id, { reason: "Spam" });
      const suspended = await post("", second.cookie, { name: "Shop", form_token: second.token });

      expect([ended.status, suspended.status]).to.deep.equal([401, 401]);
      expect(await suspended.text()).to.include("Log in");
    });

    it("says what is wrong with a new key, and revokes no key of another user", async () => {
      const { cookie, token } = await enter();
      const wrong = await post("", cookie, { name: "Shop", allowed_addresses: "nowhere", form_token: token });
      const unknown = await post("/revoke", cookie, { id: owner.id, form_token: token });
      const large = await post("", cookie, { name: "x".repeat(5000), form_token: token });

      expect([wrong.status, unknown.status, large.status]).to.deep.equal([400, 404, 413]);
      expect(await wrong.text()).to.match(/role="alert">[^<]*address/);
      expect(await listApiKeys(owner.id)).to.deep.equal([]);
    });
  });
});

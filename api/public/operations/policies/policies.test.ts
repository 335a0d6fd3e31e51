import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { useService } from "#shared/testing/service.ts";

describe("GET /settings/privacy", () => {
  const service = useService();
  // Those of other test files.
  before(() => query("DELETE FROM policy_texts"));
  afterEach(() => rememberSettings({ app_name: "Hubbub", minimum_age: 13, terms_version: "" }));

  it("returns the three texts without a token, with settings filled in", async () => {
    rememberSettings({ app_name: "Murmur <3", minimum_age: 16 });
    const { status, body } = await service.call("get", "/settings/privacy");
    expect(status).to.equal(200);
    const sections: { key: string; title: string; body_markdown: string }[] = body.data.sections;
    expect(sections.map(({ key, title }) => [key, title])).to.deep.equal([
      ["community_guidelines", "Community guidelines"],
      ["privacy_policy", "Privacy policy"],
      ["terms_of_service", "Terms of service"],
    ]);
    for (const { body_markdown } of sections) {
      expect(body_markdown).to.include("Murmur <3");
      expect(body_markdown).not.to.match(/\{\{|^#\s|Hubbub/);
    }
    expect(sections[0]?.body_markdown).to.include("at least 16 years");
  });

  it("returns the operator's own texts, in the language of the reader, or else in English", async () => {
    const admin = await buildAdmin();
    const write = async (language: string, title: string) => {
      const text = {
        key: "terms_of_service",
        language,
        title,
        body_markdown: "{{app_name}}: <script>bad()</script> **fair**",
      };
      const { status } = await service.admin("post", "/policy-texts", { token: admin.token, body: text });
      expect(status).to.equal(201);
    };
    await write("en", "House rules");
    await write("es", "Reglas de la casa");
    const titleIn = async (language: string) => {
      const { body } = await service.call("get", "/settings/privacy", { headers: { "Accept-Language": language } });
      expect(Date.parse(body.data.updated_at)).to.be.above(Date.parse("2026-11-21T00:00:00.000Z"));
      return body.data.sections[2].title;
    };
    expect([await titleIn("es"), await titleIn("hi")]).to.deep.equal(["Reglas de la casa", "House rules"]);

    rememberSettings({ terms_version: "2026-12" });
    const pageAt = async (path: string, language = "en") => {
      const response = await fetch(`${service.url}${path}`, { headers: { "Accept-Language": language } });
      expect(response.status, path).to.equal(200);
      expect(response.headers.get("content-security-policy")).to.include("default-src 'none'");
      return response.text();
    };
    const page = await pageAt("/terms", "es");
    expect(page).to.include('lang="es"').and.include("<h1>Reglas de la casa</h1>").and.include("Hubbub:");
    expect(page).to.include("<strong>fair</strong>").and.include("Versión 2026-12").and.not.include("bad()");
    expect(await pageAt("/guidelines"))
      .to.include("<h1>Community guidelines</h1>")
      .and.include("<li>");
    expect(await pageAt("/privacy")).to.include("<h1>Privacy policy</h1>");
    const { body: config } = await service.call("get", "/config/public");
    expect(config.data.policies.terms_url).to.match(/\/terms$/);
  });
});

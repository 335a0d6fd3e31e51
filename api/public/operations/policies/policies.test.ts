import { expect } from "chai";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { useService } from "#shared/testing/service.ts";

describe("GET /settings/privacy", () => {
  const service = useService();
  afterEach(() => rememberSettings({ app_name: "Hubbub", minimum_age: 13 }));

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
});

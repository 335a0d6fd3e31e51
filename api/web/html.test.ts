import { expect } from "chai";
import { html } from "./html.ts";

describe("html", () => {
  it("escapes what is put in, in text and in attributes", () => {
    const hostile = `<script>alert("1" & '2')</script>`;
    const { markup } = html`<p title="${hostile}">${hostile}</p>`;
    const escaped = "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;";
    expect(markup).to.equal(`<p title="${escaped}">${escaped}</p>`);
  });

  it("puts markup in as it is, once or in a list", () => {
    const items = ["a", "<b>"].map((text) => html`<li>${text}</li>`);
    expect(html`<ul>${items}</ul>${html`<hr>`}${2}`.markup).to.equal("<ul><li>a</li><li>&lt;b&gt;</li></ul><hr>2");
  });
});

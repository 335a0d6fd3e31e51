import type { DemoCaller } from "#shared/domain/operations/demo/demo-login.ts";
import { type Html, html } from "../web/html.ts";

const labels: Readonly<Record<DemoCaller, string>> = {
  ada: "Ada",
  grace: "Grace",
  admin: "the demo administrator",
  catalogue: "a demo reseller",
};

/** Buttons that log in as a demo caller. The script shows them. `kind`: pages of the same kind share a login. */
export const demoButtons = (
  kind: string,
  callers: readonly DemoCaller[],
): Html => html`<div class="demo-login" data-kind="${kind}" hidden>
${callers.map((caller) => html`<button type="button" value="${caller}" aria-pressed="false">Log in as ${labels[caller]}</button>\n`)}
<button type="button" value="" hidden>Log out</button> <output></output>
</div>`;

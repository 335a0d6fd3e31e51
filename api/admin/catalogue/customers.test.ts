import { expect } from "chai";
import { service as itself } from "#shared/contracts/principal.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

/** Of all operations that are called here. */
interface Answer {
  readonly data: {
    readonly id: number;
    readonly status: string;
    readonly credit: object[];
    readonly items: { id: number; action: string }[];
  };
  readonly error?: { readonly code: string };
}

describe("catalogue customers", () => {
  const service = useService();

  before(() => changeSettings(itself, { catalogue_auto_approval: false }));
  after(() => changeSettings(itself, { catalogue_auto_approval: true }));

  async function call(token: string, method: string, path: string, body?: object) {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data, error } = (await response.json()) as Answer;
    return { status: response.status, data, error };
  }

  it("apply, are approved with a credit limit, make keys, and are suspended", async () => {
    const [user, admin] = [await buildUser(), await buildAdmin()];
    const key = () => call(user.token, "POST", "/users/me/api-keys", { name: "Shop" });
    const decide = (id: number, verb: string, body?: object) =>
      call(admin.token, "POST", `/admin/catalogue/customers/${id}/${verb}`, body);

    expect((await key()).error?.code).to.equal("FORBIDDEN");
    const applied = (await call(user.token, "POST", "/users/me/catalogue-customer")).data;
    expect(applied.status).to.equal("applied");
    expect((await key()).status).to.equal(403);
    const listed = await call(admin.token, "GET", `/admin/catalogue/customers?status=applied&user_id=${user.id}`);
    expect(listed.data.items.map(({ id }) => id)).to.deep.equal([applied.id]);

    expect((await decide(applied.id, "approve")).data.status).to.equal("approved");
    const { credit } = (await decide(applied.id, "credit", { currency: "USD", credit_limit: "25.00" })).data;
    expect(credit).to.deep.equal([{ currency: "USD", credit_limit: "25", due: "0" }]);
    expect((await key()).status).to.equal(201);

    expect((await decide(applied.id, "suspend", { reason: "Unpaid orders." })).data.status).to.equal("suspended");
    expect((await key()).status).to.equal(403);
    expect((await call(user.token, "POST", "/users/me/catalogue-customer")).data.status).to.equal("suspended");
    const audited = await call(
      admin.token,
      "GET",
      `/admin/audit-logs?target_type=catalogue_customer&target_id=${applied.id}`,
    );
    expect(audited.data.items.map(({ action }) => action)).to.deep.equal([
      "catalogue_customer.suspend",
      "catalogue_customer.set_credit",
      "catalogue_customer.approve",
    ]);
  });
});

import { query } from "#shared/db/query.ts";
import { addStaff } from "#shared/domain/money/agencies/staff.ts";
import { type BuiltAgency, buildAgency, buildContract, buildInvitation } from "#shared/testing/agencies.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { buildPayout, makeSeller } from "#shared/testing/payouts.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildPackage } from "#shared/testing/sales.ts";
import type { AccessMatrix, At as AnyAt, Row as AnyRow } from "./access-row.ts";

/** The callers of the host economy's matrix, in this order. `rival` owns another agency; `user` has no such role. */
export const roles = ["host", "owner", "staff", "rival", "seller", "user"] as const;

export type Economy = Readonly<Record<(typeof roles)[number], BuiltUser>> & { readonly agency: BuiltAgency };
type At = AnyAt<Economy, (typeof roles)[number]>;
type Row = AnyRow<Economy, typeof roles>;

/** An agency with its people, another one's owner, a seller with stock, and a user. */
export async function buildEconomy(): Promise<Economy> {
  const built = await Promise.all(roles.map(() => buildUser({ coins: 100 })));
  const people = Object.fromEntries(roles.map((role, index) => [role, built[index]!])) as Omit<Economy, "agency">;
  const { host, owner, staff, rival, seller } = people;
  const [agency] = await Promise.all([buildAgency({}, owner), buildAgency({}, rival), makeSeller(seller, 10)]);
  await addStaff(callerOf(owner), agency.id, staff.id);
  await buildContract(agency, host, { starts_at: new Date(Date.now() - 1000).toISOString() });
  return { ...people, agency };
}

/** Makes a user a host, the owner of an agency, on the staff of another, and a seller at once. */
export async function makeMagnate(user: BuiltUser): Promise<void> {
  const [, other] = await Promise.all([buildAgency({}, user), buildAgency()]);
  await Promise.all([addStaff(callerOf(other.owner), other.id, user.id), makeSeller(user, 10)]);
  await buildContract(other, user);
}

const row = (outcomes: Row["outcomes"], at?: At): Row => ({ outcomes, ...(at && { at }) });
const own = (at?: At): Row => row("ok", at);

const ofAgency: Row["outcomes"] = ["ok", "ok", "ok", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"];
const byStaff: Row["outcomes"] = ["NOT_FOUND", "ok", "ok", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"];
const byOwner: Row["outcomes"] = ["NOT_FOUND", "ok", "FORBIDDEN", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"];
const byTheTwo: Row["outcomes"] = ["ok", "ok", "FORBIDDEN", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"];
const byHost: Row["outcomes"] = ["ok", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"];
const byInvited: Row["outcomes"] = ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "ok"];
const bySeller: Row["outcomes"] = ["FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "ok", "FORBIDDEN"];
const onlySeller: Row["outcomes"] = ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "ok", "NOT_FOUND"];

const period = "2026-01";
const agency: At = ({ agency }) => ({ params: { id: agency.id } });
const invitation: At = async ({ agency, user }) => {
  const [sent] = await query<{ id: string }>("SELECT id FROM agency_invitations WHERE user_id = $1", [user.id]);
  return { params: { id: sent?.id ?? (await buildInvitation(agency, user)) } };
};
const contract: At = async ({ host }) => {
  const [held] = await query<{ id: string }>("SELECT id FROM contracts WHERE host_id = $1", [host.id]);
  return { params: { id: held!.id } };
};
const ofStaff: At = ({ agency, staff }) => ({ params: { id: agency.id, userId: staff.id } });

/** What the host economy's roles may do at the operations that it consists of. */
export const economyMatrix: AccessMatrix<Economy, typeof roles> = {
  "get /earnings": own(),
  "get /earnings/movements": own(),
  "get /earnings/progress": own(),
  "get /earnings/runs": own(),
  "get /earnings/statements/:period": own(() => ({ params: { period } })),
  "get /earnings/statements/heads": own(),
  "post /earnings/exchange": row("INSUFFICIENT_BALANCE", () => ({ body: { amount: 1 } })),
  "get /payouts": own(),
  "get /payouts/methods": own(),
  "post /payouts": row("KYC_REQUIRED", () => ({ body: { amount: 1, method: { kind: "upi", vpa: "ada@okaxis" } } })),
  "get /payouts/:id": row(byHost, async ({ host }) => ({ params: { id: await buildPayout(host) } })),
  "post /payouts/webhook/:provider": row("PAYMENT_SIGNATURE_INVALID", () => ({ params: { provider: "sandbox" } })),
  "get /agencies": own(),
  "get /agencies/invitations": own(),
  "get /agencies/contracts": own(),
  "get /agencies/:id": row(ofAgency, agency),
  "get /agencies/:id/hosts": row(byStaff, agency),
  "get /agencies/:id/progress": row(byStaff, agency),
  "get /agencies/:id/runs": row(byStaff, agency),
  "get /agencies/:id/invitations": row(byStaff, agency),
  "get /agencies/:id/statements/:period": row(byStaff, ({ agency }) => ({ params: { id: agency.id, period } })),
  "post /agencies/:id/invitations": row(byStaff, ({ agency, user }) => ({
    params: { id: agency.id },
    body: { user_id: user.id },
  })),
  "post /agencies/invitations/:id/accept": row(byInvited, invitation),
  "post /agencies/invitations/:id/decline": row(byInvited, invitation),
  "post /agencies/invitations/:id/withdraw": row(byStaff, invitation),
  "post /agencies/contracts/:id/end": row(byTheTwo, contract),
  "get /agencies/:id/staff": row(byStaff, agency),
  "post /agencies/:id/staff": row(byOwner, ({ agency, user }) => ({
    params: { id: agency.id },
    body: { user_id: user.id },
  })),
  "delete /agencies/:id/staff/:userId (oneself)": row(
    ["NOT_FOUND", "ok", "ok", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"],
    ofStaff,
  ),
  "delete /agencies/:id/staff/:userId (another)": row(byOwner, async ({ agency, owner }) => {
    const other = await buildUser();
    await addStaff(callerOf(owner), agency.id, other.id);
    return { params: { id: agency.id, userId: other.id } };
  }),
  "get /sellers/me": row(onlySeller),
  "get /sellers/me/transfers": own(),
  "get /sellers/me/statements/:period": row(onlySeller, () => ({ params: { period } })),
  "post /sellers/me/orders": row(bySeller, async () => ({
    body: { package_id: (await buildPackage({ coins: 5, price: 1000 })).id },
  })),
  "post /sellers/me/transfers": row(bySeller, async () => ({ body: { user_id: (await buildUser()).id, coins: 1 } })),
};

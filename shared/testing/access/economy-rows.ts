import { query } from "#shared/db/query.ts";
import { addStaff, removeStaff } from "#shared/domain/money/agencies/staff.ts";
import { passOnCoins } from "#shared/domain/money/sellers/pass-on-coins.ts";
import { type BuiltAgency, buildAgency, buildContract, buildInvitation } from "#shared/testing/agencies.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { buildPayout, makeSeller } from "#shared/testing/payouts.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildPackage } from "#shared/testing/sales.ts";
import type { AccessMatrix, At as AnyAt, Row as AnyRow, Outcome } from "./access-row.ts";

/** The callers of the host economy's matrix, in this order. `rival` owns another agency; `user` has no such role. */
export const roles = [
  "host",
  "owner",
  "staff",
  "rival",
  "seller",
  "user",
  "former_host",
  "former_staff",
  "invited",
] as const;
type Role = (typeof roles)[number];

/** What only some of the roles may see. */
interface Secret {
  readonly id: string;
  readonly of: readonly Role[];
}

export type Economy = Readonly<Record<Role, BuiltUser>> & {
  readonly agency: BuiltAgency;
  readonly secrets: readonly Secret[];
};
type At = AnyAt<Economy, Role>;
type Row = AnyRow<Economy, typeof roles>;

/** An agency with its people, those who were of them, another one's owner, a seller who has sold, and a user. */
export async function buildEconomy(): Promise<Economy> {
  const built = await Promise.all(roles.map(() => buildUser({ coins: 100 })));
  const people = Object.fromEntries(roles.map((role, index) => [role, built[index]!])) as Record<Role, BuiltUser>;
  const { host, owner, staff, rival, seller, user, former_host, former_staff, invited } = people;
  const [agency, another] = await Promise.all([buildAgency({}, owner), buildAgency({}, rival), makeSeller(seller, 10)]);
  for (const { id } of [staff, former_staff]) await addStaff(callerOf(owner), agency.id, id);
  await removeStaff(callerOf(owner), agency.id, former_staff.id);
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
  const [contract, ended, invitation, payout, { id: transfer }] = await Promise.all([
    buildContract(agency, host, { starts_at: ago(1) }),
    buildContract(agency, former_host, { starts_at: ago(7200), ends_at: ago(3600) }),
    buildInvitation(agency, invited),
    buildPayout(host),
    passOnCoins(callerOf(seller), { user_id: user.id, coins: 1 }),
  ]);
  const secrets: Secret[] = [
    { id: agency.id, of: ["host", "owner", "staff", "former_host", "invited"] },
    { id: another.id, of: ["rival"] },
    { id: contract, of: ["host", "owner", "staff"] },
    { id: ended, of: ["former_host", "owner", "staff"] },
    { id: invitation, of: ["invited", "owner", "staff"] },
    { id: payout, of: ["host"] },
    { id: transfer, of: ["seller", "user"] },
  ];
  return { ...people, agency, secrets };
}

/** Makes a user a host, the owner of an agency, on the staff of another, and a seller at once. */
export async function makeMagnate(user: BuiltUser): Promise<void> {
  const [, other] = await Promise.all([buildAgency({}, user), buildAgency()]);
  await Promise.all([addStaff(callerOf(other.owner), other.id, user.id), makeSeller(user, 10)]);
  await buildContract(other, user);
}

const row = (outcomes: Row["outcomes"], at?: At): Row => ({ outcomes, ...(at && { at }) });
/** Each sees their own. */
const own = (at?: At): Row => row("ok", at);

type Outcomes = Extract<Row["outcomes"], readonly unknown[]>;
/** `ok` for those who may, `others` for the rest, unless `named` says otherwise. */
const only = (may: readonly Role[], others: Outcome = "NOT_FOUND", named: Partial<Record<Role, Outcome>> = {}) =>
  // The compiler forgets how many roles there are.
  roles.map((role) => named[role] ?? (may.includes(role) ? "ok" : others)) as unknown as Outcomes;
// Invited users may read about the agency before they accept.
const ofAgency = only(["host", "owner", "staff", "invited"]);
const byStaff = only(["owner", "staff"]);
const byOwner = only(["owner"], "NOT_FOUND", { staff: "FORBIDDEN" });
const byTheTwo = only(["host", "owner"], "NOT_FOUND", { staff: "FORBIDDEN" });
const byHost = only(["host"]);
const byInvited = only(["invited"]);
const bySeller = only(["seller"], "FORBIDDEN");
const onlySeller = only(["seller"]);

const period = "2026-01";
const agency: At = ({ agency }) => ({ params: { id: agency.id } });
const invitation: At = async ({ invited }) => {
  const [sent] = await query<{ id: string }>("SELECT id FROM agency_invitations WHERE user_id = $1", [invited.id]);
  return { params: { id: sent!.id } };
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
  "delete /agencies/:id/staff/:userId (oneself)": row(byStaff, ofStaff),
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

import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { createManaged, updateManaged } from "#shared/domain/base/managed/write-managed.ts";
import { managedAgencies } from "#shared/domain/money/agencies/managed-agencies.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { type BuiltAgency, buildAgency, buildContract, buildInvitation } from "#shared/testing/agencies.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildSplitPlan, buyCoins } from "#shared/testing/earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { adminCaller, block, callerOf, outcomeOf } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { getAgency, listOwnInvitations } from "./agencies.queries.ts";
import { endContract, giveNotice } from "./end-contract.ts";
import { eraseAgencies } from "./erase-agencies.ts";
import { acceptInvitation, declineInvitation, inviteHost, withdrawInvitation } from "./invitations.ts";
import { addStaff, removeStaff } from "./staff.ts";

const page = { page: 1, limit: 20 };
describe("an agency", () => {
  useDatabase();
  const events = usePublishedEvents();
  let agency: BuiltAgency;
  let host: BuiltUser;
  beforeEach(async () => {
    [agency, host] = await Promise.all([buildAgency(), buildUser()]);
  });
  const terms = (user: BuiltUser) => ({ user_id: user.id, commission_basis_points: 500, term_months: null });

  it("is seen by its owner, staff, invited users, and hosts, and by no one else", async () => {
    const [clerk, invited, other] = await Promise.all([buildUser(), buildUser(), buildAgency()]);
    await addStaff(callerOf(agency.owner), agency.id, clerk.id);
    await buildInvitation(agency, invited);
    await buildContract(agency, host);

    const roleOf = (user: BuiltUser) => getAgency(user.id, agency.id).then(({ my_role }) => my_role);
    expect(await Promise.all([agency.owner, clerk, invited, host].map(roleOf))).to.deep.equal([
      ...["owner", "staff", "invited", "host"],
    ]);
    for (const stranger of [other.owner, await buildUser()])
      expect(await outcomeOf(getAgency(stranger.id, agency.id))).to.equal("NOT_FOUND");
  });

  it("lets its staff invite, but not choose the staff", async () => {
    const clerk = await buildUser();
    await addStaff(callerOf(agency.owner), agency.id, clerk.id);

    const invitation = await inviteHost(callerOf(clerk), agency.id, terms(host));
    expect(await outcomeOf(addStaff(callerOf(clerk), agency.id, host.id))).to.equal("FORBIDDEN");
    expect((await withdrawInvitation(callerOf(clerk), invitation.id)).status).to.equal("withdrawn");
    await removeStaff(callerOf(clerk), agency.id, clerk.id);
    expect(await outcomeOf(inviteHost(callerOf(clerk), agency.id, terms(host)))).to.equal("NOT_FOUND");
  });

  it("has one pending invitation of a user, who hears of it and of its withdrawal", async () => {
    const id = await buildInvitation(agency, host);

    expect(await outcomeOf(inviteHost(callerOf(agency.owner), agency.id, terms(host)))).to.equal("CONFLICT");
    expect((await listOwnInvitations(host.id, page)).items.map((one) => one.id)).to.deep.equal([id]);
    expect(await events.of("agency.invited", { user_id: host.id })).to.have.length(1);
    await withdrawInvitation(callerOf(agency.owner), id);
    expect(await events.of("agency.invitation_withdrawn", { user_id: host.id })).to.have.length(1);
    expect(await outcomeOf(acceptInvitation(callerOf(host), id))).to.equal("CONFLICT");
    expect(await outcomeOf(inviteHost(callerOf(agency.owner), agency.id, terms(host)))).to.equal("ok");
  });

  it("invites again after an invitation was declined or has expired", async () => {
    const first = await buildInvitation(agency, host);
    await declineInvitation(callerOf(host), first);
    const second = await buildInvitation(agency, host);
    await query("UPDATE agency_invitations SET expires_at = now() WHERE id = $1", [second]);

    expect(await outcomeOf(acceptInvitation(callerOf(host), second))).to.equal("CONFLICT");
    expect(await outcomeOf(inviteHost(callerOf(agency.owner), agency.id, terms(host)))).to.equal("ok");
  });

  it("invites no one while suspended, and no one whom a block separates", async () => {
    const id = await buildInvitation(agency, host);
    await block(host, agency.owner);
    expect(await outcomeOf(acceptInvitation(callerOf(host), id))).to.equal("NOT_FOUND");
    expect((await listOwnInvitations(host.id, page)).items).to.deep.equal([]);

    const another = await buildUser();
    await updateManaged(adminCaller(), managedAgencies, agency.id, { status: "suspended" });
    expect(await outcomeOf(inviteHost(callerOf(agency.owner), agency.id, terms(another)))).to.equal("FORBIDDEN");
  });

  it("has no owner who is a host, and no host who owns one", async () => {
    await buildContract(agency, host);
    const of = (owner_id: string) =>
      createManaged(adminCaller(), managedAgencies, {
        ...{
          name: `Of ${owner_id}`,
          owner_id,
          country: "IN",
          time_zone: "UTC",
          period: "month",
          status: "active",
          plan_id: null,
        },
      });
    expect(await outcomeOf(of(host.id))).to.equal("VALIDATION_ERROR");

    const { owner } = await buildAgency();
    const id = await buildInvitation(agency, owner);
    expect(await outcomeOf(acceptInvitation(callerOf(owner), id))).to.equal("CONFLICT");
  });

  it("keeps its zone and its period, so that its runs leave no gaps", async () => {
    for (const change of [{ time_zone: "Asia/Kolkata" }, { period: "week" }])
      expect(await outcomeOf(updateManaged(adminCaller(), managedAgencies, agency.id, change))).to.equal(
        "VALIDATION_ERROR",
      );
  });
});

describe("a contract", () => {
  useDatabase();
  const events = usePublishedEvents();
  let agency: BuiltAgency;
  let host: BuiltUser;
  beforeEach(async () => {
    [agency, host] = await Promise.all([buildAgency(), buildUser()]);
  });
  const endsOf = (id: string) =>
    queryOne<{ days: number; ended_by: string | null }>(
      "SELECT round(extract(epoch FROM ends_at - now()) / 86400)::int AS days, ended_by FROM contracts WHERE id = $1",
      [id],
    );

  it("is one of twenty that a host accepts at once", async () => {
    const agencies = await Promise.all(Array.from({ length: 20 }, () => buildAgency()));
    const ids: string[] = [];
    for (const one of agencies) ids.push(await buildInvitation(one, host));

    const outcomes = await Promise.all(ids.map((id) => outcomeOf(acceptInvitation(callerOf(host), id))));

    expect(outcomes.filter((one) => one === "ok")).to.have.length(1);
    expect(outcomes.filter((one) => one === "CONFLICT")).to.have.length(19);
    expect(await query("SELECT FROM contracts WHERE host_id = $1", [host.id])).to.have.length(1);
  });

  it("never overlaps another of its host, whatever writes it", async () => {
    await buildContract(agency, host, { starts_at: "2026-01-01T00:00:00Z", ends_at: "2026-03-01T00:00:00Z" });
    const insert = (starts_at: string) =>
      query(
        `INSERT INTO contracts (id, agency_id, host_id, commission_basis_points, starts_at)
         VALUES (gen_random_uuid(), $1, $2, 0, $3)`,
        [agency.id, host.id, starts_at],
      ).then(
        () => "ok",
        () => "refused",
      );
    expect(await insert("2026-02-28T23:59:59Z")).to.equal("refused");
    expect(await insert("2026-03-01T00:00:00Z")).to.equal("ok");
  });

  it("ends after the days of notice by either side, or with its term before that", async () => {
    const other = await buildUser();
    const [long, short] = [await buildContract(agency, host), await buildContract(agency, other)];
    await query("UPDATE contracts SET ends_at = now() + interval '10 days' WHERE id = $1", [short]);

    await giveNotice(callerOf(agency.owner), long);
    await giveNotice(callerOf(other), short);

    expect(await endsOf(long)).to.deep.equal({ days: 30, ended_by: "agency" });
    expect(await endsOf(short)).to.deep.equal({ days: 10, ended_by: "host" });
    expect(await outcomeOf(giveNotice(callerOf(host), long))).to.equal("CONFLICT");
    expect(await outcomeOf(giveNotice(callerOf(await buildUser()), long))).to.equal("NOT_FOUND");
    expect(await events.of("contract.ending", { contract_id: long })).to.have.length(1);
  });

  it("is ended by an administrator at once, during its notice, too", async () => {
    const id = await buildContract(agency, host);
    await giveNotice(callerOf(host), id);

    await endContract(adminCaller(), id, "The host was under age");

    expect(await endsOf(id)).to.deep.equal({ days: 0, ended_by: "admin" });
    expect(
      await query("SELECT after ->> 'ended_by' AS by FROM audit_log WHERE target_id = $1 AND action = 'contract.end'", [
        id,
      ]),
    ).to.deep.equal([{ by: "admin" }]);
  });

  it("of a term of months ends that many months after its acceptance", async () => {
    const id = await buildInvitation(agency, host, { term_months: 7 });
    const { id: contractId } = await acceptInvitation(callerOf(host), id);

    const row = await queryOne<{ exact: boolean }>(
      "SELECT ends_at = starts_at + interval '7 months' AS exact FROM contracts WHERE id = $1",
      [contractId],
    );
    expect(row).to.deep.equal({ exact: true });
  });

  it("ends with its host's account; with its owner's, its agency is suspended and waits for another owner", async () => {
    const id = await buildContract(agency, host);
    expect(await inTransaction((tx) => eraseAgencies(tx, agency.owner.id))).to.equal(1);
    expect(await queryOne("SELECT status FROM agencies WHERE id = $1", [agency.id])).to.deep.equal({
      status: "suspended",
    });
    expect(await endsOf(id)).to.deep.equal({ days: null, ended_by: null });

    expect(await inTransaction((tx) => eraseAgencies(tx, host.id))).to.equal(1);
    expect(await inTransaction((tx) => eraseAgencies(tx, host.id))).to.equal(0);
    expect(await endsOf(id)).to.deep.equal({ days: 0, ended_by: "erasure" });
  });

  describe("that holds when a gift is sent", () => {
    let giftId: string;
    let sender: BuiltUser;
    let roomId: string;
    before(async () => {
      giftId = (await buildGift({ price: 10 })).id;
      await buildSplitPlan(
        [
          { to: "receiver", basis_points: 6000, asset: "earnings" },
          { to: "agency", basis_points: 1500, asset: "earnings" },
          { to: "house", basis_points: 2500 },
        ],
        { gift_ids: [giftId] },
      );
    });
    after(async () => {
      await query("UPDATE split_plans SET retired_at = now()");
      await loadSplitPlans();
    });
    beforeEach(async () => {
      sender = await buildUser();
      roomId = (await buildRoom()).id;
      await buyCoins(sender.id, 1000);
    });
    const give = (from = sender) =>
      transferGift(callerOf(from), { room_id: roomId, gift_id: giftId, recipient_id: host.id, quantity: 10 });
    const agencyGot = async () =>
      (
        await queryOne<{ sum: number }>(
          "SELECT coalesce(sum(balance), 0)::int AS sum FROM wallets WHERE user_id = $1 AND asset = 'earnings'",
          [agency.owner.id],
        )
      )?.sum;

    it("pays the agency's share to its owner", async () => {
      await buildContract(agency, host);
      await give();
      expect(await agencyGot()).to.equal(15);
    });

    it("pays nothing before its start, after its end, to a suspended agency, or for its owner's own gifts", async () => {
      await give();
      await buildContract(agency, host, { ends_at: new Date(Date.now() - 1000).toISOString() });
      await give();
      await buildContract(agency, host, { starts_at: new Date(Date.now() - 500).toISOString() });
      await buyCoins(agency.owner.id, 1000);
      await give(agency.owner);
      await updateManaged(adminCaller(), managedAgencies, agency.id, { status: "suspended" });
      await give();
      expect(await agencyGot()).to.equal(0);
    });
  });
});

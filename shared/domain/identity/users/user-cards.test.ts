import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { findUserCard, userCards } from "./user-cards.queries.ts";

describe("user cards", () => {
  useDatabase();

  const connect = (userId: string, lease: string) =>
    query("INSERT INTO online_users (user_id, process_id, lease_until) VALUES ($1, 'p', now() + $2::interval)", [
      userId,
      lease,
    ]);

  it("returns the requested users only", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser({ full_name: "Bob" })]);
    const cards = await userCards([ada.id, bob.id, "0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a"]);
    expect([...cards.keys()]).to.have.members([ada.id, bob.id]);
    expect(cards.get(bob.id)).to.deep.equal({
      id: bob.id,
      username: bob.username,
      full_name: "Bob",
      avatar_url: null,
      country: null,
      is_online: false,
      vip: null,
      frame: null,
    });
    expect(await userCards([])).to.have.property("size", 0);
  });

  it("shows users as online during their lease, unless they hide it", async () => {
    const [here, gone, hidden] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    await Promise.all([
      connect(here.id, "30 seconds"),
      connect(gone.id, "-1 second"),
      connect(hidden.id, "30 seconds"),
    ]);
    await query("UPDATE users SET settings = jsonb_set(settings, '{privacy,show_online}', 'false') WHERE id = $1", [
      hidden.id,
    ]);
    const cards = await userCards([here.id, gone.id, hidden.id]);
    expect([here, gone, hidden].map(({ id }) => cards.get(id)?.is_online)).to.deep.equal([true, false, false]);
  });

  it("rejects an unknown user", async () => {
    const failure = await findUserCard("0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a").catch((error: unknown) => error);
    expect(failure).to.have.property("code", "NOT_FOUND");
  });
});

import { expect } from "chai";
import { query, queryColumn, queryOne } from "#shared/db/query.ts";
import { configureSealing, seal, unseal } from "#shared/kernel/seal.ts";
import { adminTestSecret, encryptionTestKey } from "#shared/testing/access/access-tokens.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { resealAll, sealedColumns } from "./reseal.ts";

const newKey = "a key that the tests change to, of 32 characters";
const keep = (...secrets: string[]) => configureSealing({ secrets, adminSecret: adminTestSecret });

describe("stored secrets", () => {
  useDatabase();
  afterEach("opens what other tests have sealed", () => keep(encryptionTestKey, newKey));
  after(async () => {
    keep(encryptionTestKey, newKey);
    await resealAll();
    keep(encryptionTestKey);
  });
  const totp = async () => {
    const { id } = await buildAdmin([]);
    const set = (secret: string) => query("UPDATE admins SET totp_secret = $2 WHERE id = $1", [id, secret]);
    const get = async () =>
      (await queryOne<{ totp_secret: string }>("SELECT totp_secret FROM admins WHERE id = $1", [id]))!.totp_secret;
    return { id, set, get };
  };

  it("open only in their context, unaltered, and with their key", () => {
    const sealed = seal("gateway 1", "sk_live_ключ");
    // Not the last character, which may hold unused bits.
    const altered = `${sealed.slice(0, -2)}${sealed.at(-2) === "A" ? "B" : "A"}${sealed.slice(-1)}`;

    expect(unseal("gateway 1", sealed)).to.equal("sk_live_ключ");
    expect(sealed).not.to.include("sk_live");
    expect(seal("gateway 1", "sk_live_ключ")).not.to.equal(sealed);
    for (const [context, stored] of [
      ["gateway 2", sealed],
      ["gateway 1", altered],
      ["gateway 1", "v2.00000000.AAAA"],
      ["gateway 1", "plain"],
      ["gateway 1", ""],
    ] as const)
      expect(unseal(context, stored), stored).to.equal(undefined);
    keep(newKey);
    expect(unseal("gateway 1", sealed)).to.equal(undefined);
  });

  it("are encrypted with the new key, those of earlier releases too, and no longer need the old one", async () => {
    const [plain, old] = [await totp(), await totp()];
    await plain.set("JBSWY3DPEHPK3PXP");
    await old.set(seal(old.id, "KRSXG5CTMVRXEZLU"));

    keep(newKey, encryptionTestKey);
    const [admins] = await resealAll();
    const again = await resealAll();
    keep(newKey);

    expect(admins!.changed).to.be.at.least(2);
    expect(again.map((column) => column.changed)).to.deep.equal(sealedColumns.map(() => 0));
    expect(unseal(plain.id, await plain.get())).to.equal("JBSWY3DPEHPK3PXP");
    expect(unseal(old.id, await old.get())).to.equal("KRSXG5CTMVRXEZLU");
  });

  it("that no key opens are counted, and stay as they are", async () => {
    const lost = await totp();
    keep("a key that is lost, of 32 characters or more");
    await lost.set(seal(lost.id, "KRSXG5CTMVRXEZLU"));
    const stored = await lost.get();

    keep(encryptionTestKey, newKey);
    const [admins] = await resealAll();

    expect(admins!.lost).to.be.at.least(1);
    expect(await lost.get()).to.equal(stored);
    await lost.set("JBSWY3DPEHPK3PXP");
  });

  it("are in columns that the command knows", async () => {
    const named = await queryColumn(
      `SELECT table_name || '.' || column_name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name LIKE '%sealed'`,
    );
    const known = sealedColumns.map(({ table, column }) => `${table}.${column}`);

    expect(known).to.include.members(named);
  });
});

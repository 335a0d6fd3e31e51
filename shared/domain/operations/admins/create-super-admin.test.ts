import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { verifyPassword } from "#shared/domain/identity/accounts/password.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { createSuperAdmin } from "./create-super-admin.ts";

const find = (email: string) =>
  query<{ password_hash: string; permissions: string[] }>(
    "SELECT password_hash, permissions FROM admins JOIN roles ON roles.id = role_id WHERE email = $1",
    [email],
  );

describe("createSuperAdmin", () => {
  useDatabase();

  it("creates one with all permissions, and leaves an existing one unchanged", async () => {
    const email = `${newId()}@example.com`;
    const admin = { email: email.toUpperCase(), fullName: "Root", password: "the first password" };
    expect(await createSuperAdmin(admin)).to.equal(true);
    expect(await createSuperAdmin({ ...admin, password: "another password" })).to.equal(false);
    const [found, ...others] = await find(email);
    expect(others).to.deep.equal([]);
    expect(found?.permissions).to.deep.equal(["*"]);
    expect(await verifyPassword("login", found?.password_hash ?? "", "the first password")).to.equal(true);
  });

  it("creates one of several concurrent ones", async () => {
    const email = `${newId()}@example.com`;
    const made = await Promise.all(
      Array.from({ length: 3 }, () => createSuperAdmin({ email, fullName: "Root", password: "one password" })),
    );
    expect(made.filter(Boolean)).to.have.length(1);
    expect(await find(email)).to.have.length(1);
  });
});

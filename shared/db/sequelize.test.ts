import { expect } from "chai";
import { connectionOf } from "./sequelize.ts";

describe("the pool", () => {
  it("connects where the address says", () => {
    expect(connectionOf("postgres://me%40home:p%2Fw%3A@db.example.com:6543/a%20base")).to.deep.equal({
      host: "db.example.com",
      port: 6543,
      database: "a base",
      username: "me@home",
      password: "p/w:",
      ssl: false,
    });
    expect(connectionOf("postgres://me@[::1]/hubbub")).to.include({ host: "::1", port: 5432 });
  });

  it("connects by TLS when the address says so, in every way that it can", () => {
    const sslOf = (query: string) => connectionOf(`postgres://me@db.example.com/hubbub?${query}`).ssl;
    expect(sslOf("sslmode=disable")).to.equal(false);
    expect(sslOf("sslmode=no-verify")).to.deep.equal({ rejectUnauthorized: false });
    for (const query of ["sslmode=verify-full", "ssl=true"]) expect(Boolean(sslOf(query)), query).to.equal(true);
  });
});

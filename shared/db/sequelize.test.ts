import { expect } from "chai";
import pg from "pg";
import { metrics } from "#shared/kernel/metrics.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { connectionOf } from "./database-address.ts";
import { clientOf } from "./pg-internals.ts";
import { observePool, onSharedPool, sequelize, withClient } from "./sequelize.ts";

describe("the pool", () => {
  it("connects to the server in the address", () => {
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

  it("connects by TLS for every spelling in the address", () => {
    const sslOf = (query: string) => connectionOf(`postgres://me@db.example.com/hubbub?${query}`).ssl;
    expect(sslOf("sslmode=disable")).to.equal(false);
    expect(sslOf("sslmode=no-verify")).to.deep.equal({ rejectUnauthorized: false });
    for (const query of ["sslmode=verify-full", "ssl=true"]) expect(Boolean(sslOf(query)), query).to.equal(true);
  });
});

describe("a network that turns silent", () => {
  useDatabase();
  const pids = async () =>
    (
      await Promise.all(
        [1, 2, 3].map(() => withClient((client) => client.query("SELECT pg_backend_pid() AS pid, pg_sleep(0.01)"))),
      )
    )
      .flatMap(({ rows }) => rows)
      .map(({ pid }) => pid as number);

  it("is noticed once, not by each connection", async () => {
    const before = await pids();

    const silent = { text: "SELECT pg_sleep(1)", query_timeout: 20 };
    const error = await withClient((client) => client.query(silent)).catch((reason: Error) => reason.message);

    expect(error).to.equal("Query read timeout");
    expect((await pids()).filter((pid) => before.includes(pid))).to.deep.equal([]);
  });
});

describe("a connection that the server ends as soon as it is made", () => {
  useDatabase();

  it("ends nothing else, and is replaced", async () => {
    const { connect } = pg.Client.prototype;
    type Connected = (error?: Error) => void;
    pg.Client.prototype.connect = function connectAndLose(this: pg.Client, done?: Connected) {
      connect.call(this, (error?: Error) => {
        done?.(error);
        this.emit("error", new Error("terminating connection due to administrator command"));
      });
    } as typeof connect;
    const pidOf = () => onSharedPool(() => withClient((client) => client.query("SELECT pg_backend_pid() AS pid")));

    const first = await pidOf().finally(() => Object.assign(pg.Client.prototype, { connect }));
    expect((await pidOf()).rows).not.to.deep.equal(first.rows);
  });
});

/** Statements go to `pg` below Sequelize, by internals that another version of it may rename or move. */
describe("Sequelize's internals", () => {
  useDatabase();

  it("lend a connection of the pool: connectionManager.getConnection and releaseConnection, in withClient", async () => {
    const { rows } = await withClient((client) => client.query("SELECT 1 AS one"));
    expect(rows).to.deep.equal([{ one: 1 }]);
  });

  it("show a transaction's connection: transaction.connection, in clientOf", async () => {
    const rows = await sequelize.transaction(async (transaction) => {
      await sequelize.query("SET LOCAL test.mark = 'same connection'", { transaction });
      return (await clientOf(transaction).query("SELECT current_setting('test.mark') AS mark")).rows;
    });
    expect(rows).to.deep.equal([{ mark: "same connection" }]);
  });

  it("count the pool's connections: connectionManager.pool.using, available and waiting, in observePool", async () => {
    await withClient(async () => observePool());

    const { values } = await metrics.poolConnections.get();

    const counts = Object.fromEntries(values.map(({ labels, value }) => [labels.state, value]));
    expect(counts).to.have.all.keys("used", "idle", "waiting");
    expect(counts.used).to.be.greaterThan(0);
  });
});

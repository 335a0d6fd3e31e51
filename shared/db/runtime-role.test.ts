import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { blocksOf } from "#shared/testing/guides.ts";
import { openRoom, register, spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

describe("a process whose role owns nothing", function () {
  this.timeout(60_000);
  const role = `runtime_${newId().replaceAll("-", "")}`;
  let owner: pg.Client;
  let environment: Record<string, string>;

  before(async () => {
    const url = new URL(await createDatabase({ migrated: true }));
    owner = new pg.Client({ connectionString: url.href });
    await owner.connect();
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'runtime'`);
    Object.assign(url, { username: role, password: "runtime" });
    environment = {
      DATABASE_URL: url.href,
      DATA_DIR: await mkdtemp(join(tmpdir(), "runtime-role-")),
      JWT_SECRET: "one secret for them all, of 40 characters",
    };
    const file = new URL("../../docs/operations.md", import.meta.url);
    const grants = blocksOf({ file: file.href, text: await readFile(file, "utf8") }, "sql");
    await owner.query(grants.replaceAll("hubbub_runtime", role));
  });
  after(async () => {
    closeClients();
    await stopServices();
    await owner.query(`DROP OWNED BY ${role}`);
    await owner.query(`DROP ROLE ${role}`);
    await owner.end();
  });

  it("serves, delivers, and runs jobs", async () => {
    const service = await spawnService(environment);
    const [ada, bob] = [await register(service), await register(service)];
    const room_id = await openRoom(service, ada);
    const client = await connectSocket(service.url, bob.token);
    expect((await client.ask("room:join", { room_id })).success).to.equal(true);
    expect((await client.ask("room:message", { room_id, body: "hello" })).success).to.equal(true);
    const opened = await service.call("post", "/conversations", { token: ada.token, body: { peer_id: bob.id } });
    const path = `/conversations/${opened.body.data.id}/messages`;
    expect((await service.call("post", path, { token: ada.token, body: { body: "hi" } })).status).to.equal(201);
    await client.inbox.next("dm:new");

    const forgot = await service.call("post", "/auth/forgot-password", { body: { email: "someone@example.com" } });
    expect(forgot.status).to.equal(200);
    const done = "SELECT 1 FROM pgboss.job WHERE name = 'mail.account' AND state = 'completed'";
    await until(
      "the jobs are done, two of them of the registrations",
      async () => (await owner.query(done)).rowCount === 3,
      15_000,
    );

    expect(await service.stop("SIGTERM")).to.equal(0);
    expect(service.output()).not.to.match(/permission denied|must be owner/);
  });

  it("has partitions made by their owner", async () => {
    const client = new pg.Client({ connectionString: environment.DATABASE_URL });
    await client.connect();
    const count = async () =>
      (await client.query(`SELECT count(*)::int AS count FROM table_partitions WHERE "table" = 'room_messages'`))
        .rows[0].count;
    const before = await count();
    const { rows } = await client.query(
      `SELECT make_partitions('room_messages', 3, 1) AS made,
         (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '4 months') AT TIME ZONE 'UTC' AS goal`,
    );
    const added = (await count()) - before;
    const { rows: rest } = await client.query(
      `SELECT "from" FROM table_partitions WHERE "table" = 'room_messages' AND "until" IS NULL`,
    );
    const { rows: owners } = await client.query(
      `SELECT DISTINCT tableowner = $1 AS mine FROM pg_tables JOIN table_partitions ON name = tablename`,
      [role],
    );
    await client.end();
    // One more than there was, and another if a month has begun meanwhile.
    expect(added).to.be.at.least(1);
    expect(rows[0].made).to.equal(added);
    expect(rest[0].from).to.deep.equal(rows[0].goal);
    expect(owners).to.deep.equal([{ mine: false }]);
  });

  it("says who must apply a migration that is missing", async () => {
    const name = (
      await owner.query("DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations) RETURNING *")
    ).rows[0].name;
    const failure = await spawnService(environment).catch(String);
    await owner.query("INSERT INTO migrations (name) VALUES ($1)", [name]);

    expect(failure).to.include(`The migration ${name} is missing, and the role ${role} may not apply it`);
    expect(failure).to.include("npm run migrate");
    expect(failure).not.to.match(/\n\s+at /);
  });
});

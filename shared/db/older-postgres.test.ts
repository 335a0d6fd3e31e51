import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { olderPrograms } from "#shared/testing/older-postgres.ts";
import { openRoom, register, spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";

describe("older releases of PostgreSQL", function () {
  this.timeout(60_000);
  let folder: string;
  let server: EmbeddedPostgres | undefined;
  let database: pg.Client | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "older-postgres-"));
  });
  afterEach(async () => {
    closeClients();
    await stopServices();
    await database?.end();
    await server?.stop();
    server = undefined;
    database = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  for (const version of ["16", "17"])
    it(`serve: ${version}`, async () => {
      server = await startEmbeddedPostgres(folder, { durable: false, programs: await olderPrograms(version) });
      database = new pg.Client({ connectionString: server.url });
      await database.connect();
      const service = await spawnService({ DATABASE_URL: server.url, DATA_DIR: join(folder, "service") });
      const [ada, bob] = [await register(service), await register(service)];
      const rooms = [await openRoom(service, ada), await openRoom(service, bob)];
      const client = await connectSocket(service.url, ada.token);
      for (const room_id of rooms) expect((await client.ask("room:join", { room_id })).success).to.equal(true);
      expect((await client.ask("room:message", { room_id: rooms[0]!, body: "gone" })).error).to.include({
        code: "NOT_A_MEMBER",
      });

      await service.call("patch", "/users/me", { token: bob.token, body: { full_name: "Ñandú STRASSE Διονυσίας" } });
      for (const q of ["nandu", "straße", "ΔΙΟΝΥΣΊΑΣ"]) {
        const found = await service.call("get", `/users/search?q=${encodeURIComponent(q)}`, { token: ada.token });
        expect(
          found.body.data.items.map(({ id }: { id: string }) => id),
          q,
        ).to.deep.equal([bob.id]);
      }
      const { rows } = await database.query(
        `SELECT count(coalesce("from", "until")) = count(*) AND count(*) >= 2 AS dated,
           (SELECT bool_and(abs(extract(epoch FROM created_at - time_of_id(id))) < 60) FROM users) AS timed
         FROM table_partitions`,
      );
      expect(rows).to.deep.equal([{ dated: true, timed: true }]);
      expect(await service.stop("SIGTERM")).to.equal(0);
      expect(service.output()).not.to.match(/"level":(50|60)/);
    });

  it("are asked for nothing that only 18 knows", async () => {
    const root = new URL("../../", import.meta.url);
    const folders = ["api", "engine", "shared"];
    for (const name of folders)
      for (const file of await readdir(new URL(name, root), { recursive: true }))
        if (file.endsWith(".ts") && !file.endsWith(".test.ts"))
          expect(await readFile(new URL(`${name}/${file}`, root), "utf8"), file).not.to.match(
            /\bRETURNING\b[^`]*\b(old|new)\.[a-z]|[^".]\buuid_extract_timestamp\(/,
          );
  });
});

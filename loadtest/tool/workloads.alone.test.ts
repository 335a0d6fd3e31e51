import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { loadPlays, playFolders } from "#shared/testing/load-plays.ts";

// Our tables load after the plays. Workers are processes of their own, which read the variable.
await loadPlays();
process.env.HUBBUB_EXTENSIONS = playFolders.join();
const { query } = await import("#shared/db/query.ts");
const { loadedExtensions } = await import("#shared/extension/loaded.ts");
const { checkLedger } = await import("#shared/domain/money/ledger/check-ledger.ts");
const { buildAdmin } = await import("#shared/testing/admins.ts");
const { buildGift, buildUser } = await import("#shared/testing/factories.ts");
const { useService } = await import("#shared/testing/service.ts");
const { brokenInvariants, workloadScenarios } = await import("../scenarios/workloads.ts");
const { savePeople } = await import("./people.ts");
const { run } = await import("./run.ts");

const { until } = await import("#shared/testing/until.ts");

describe("the workloads of plays", function () {
  this.timeout(60_000);
  const service = useService();
  let folder: string;
  let people: Awaited<ReturnType<typeof buildUser>>[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-workloads-"));
  });
  after(() => rm(folder, { recursive: true }));

  const workloads = loadedExtensions.flatMap(({ parts }) => Object.values(parts.workloads ?? {}));
  const broken = async () =>
    (await Promise.all(workloads.map((workload) => brokenInvariants(workload, (sql) => query(sql))))).flat();

  it("run in a load test beside ours, and what they promise holds", async () => {
    const { token } = await buildAdmin();
    const { id: giftId } = await buildGift({ price: 10 });
    const admin = async (method: string, path: string, body: object) =>
      (await service.admin(method, path, { token, body })).body.data;
    for (const { prepare } of workloads) await prepare?.({ admin, giftId });
    people = await Promise.all(Array.from({ length: 20 }, () => buildUser({ coins: 100_000 })));
    const tokenFile = join(folder, "people.jsonl");
    await savePeople(
      tokenFile,
      people.map(({ id, username, token: accessToken, refreshToken }) => ({
        ...{ id, name: username, accessToken, refreshToken },
      })),
    );
    const weights = Object.fromEntries(Object.keys(workloadScenarios()).map((name) => [name, 1]));
    const load = { clients: 20, rate: 60, ramp: 0, seconds: 2, workers: 1, timeout: 10, seed: 3, threshold: [] };
    const result = await run("mixed", { url: service.url, tokenFile, mix: { weights }, ...load });

    expect(Object.keys(weights)).to.deep.equal([
      "battles:fighting",
      "lucky_gifts:drawing",
      "missions:claiming",
      "red_packets:sharing",
    ]);
    expect(result.violations).to.deep.equal([]);
    const operations = [
      "post /red-packets",
      "post /red-packets/:id/claims",
      "post /battles",
      "post /battles/:id/accept",
    ];
    const more = ["get /lucky-gifts/draws/:id", "post /missions/check-in", "post /rooms/:id/gifts"];
    expect(Object.keys(result.operations)).to.include.members([...operations, ...more]);
    expect(Object.values(result.operations).flatMap(({ codes }) => Object.keys(codes))).to.deep.equal([]);
    expect(await broken()).to.deep.equal([]);
    expect(await checkLedger()).to.deep.equal([]);
  });

  it("leave users something to download of each kind that the plays keep", async () => {
    for (const { name, parts } of loadedExtensions)
      for (const [file, sql] of Object.entries(parts.exports ?? {}))
        await until(`there is ${name} ${file}`, async () => {
          const found = await Promise.all(people.map(({ id }) => query(sql, [id])));
          return found.flat().length > 0;
        });
  });

  it("say which promise is broken", async () => {
    await query("UPDATE ext_red_packets.packets SET coins_left = coins_left + 1 WHERE returned IS NULL");
    expect((await broken()).join()).to.match(/^The coins of a red packet were taken, are held, or came back\. That /);
  });
});

import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { alone } from "#shared/db/transaction.ts";
import { eraseUser } from "#shared/domain/operations/deletion/erase-user.ts";
import { requestDeletion } from "#shared/domain/operations/deletion/request-deletion.ts";
import { buildMarked, textColumns } from "#shared/testing/canaries.ts";
import { closeClients } from "#shared/testing/clients/clients.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import "#shared/testing/fakes/sandbox-payments.ts";
import { messagesTo } from "#shared/testing/mailbox.ts";
import { callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { unzip } from "#shared/testing/unzip.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { type ExportPart, exportParts } from "./export-parts.ts";
import { makeExport } from "./make-export.ts";
import { getExport, pruneExports, requestExport } from "./request-export.ts";

/** What users have written, and an export leaves out, each for a reason. */
const leftOut = new Set([
  // Answers, events, and mails on their way, which last some days and repeat what is exported from its own table.
  ...["idempotency_keys.answer", "idempotency_keys.key", "outbox.payload", "outbox_deliveries.payload"],
  ...["outbox_dead_letters.payload", "mail_outbox.recipient", "mail_outbox.html_body", "mail_outbox.text_body"],
  // Evidence of reports by others: it would tell who reported the user, and for what.
  "reports.evidence",
]);

describe("an export of a user's data", () => {
  const service = useService();
  const clock = useClock();
  afterEach(closeClients);

  const call = (method: string, token: string) => service.call(method, "/users/me/export", { token });
  const ready = async ({ token }: { token: string }) => {
    const current = async () => (await call("get", token)).body.data;
    await until("the export is ready", async () => (await current()).state === "ready", 30_000);
    return current();
  };
  const download = (url: string) => fetch(url.replace(/^https?:\/\/[^/]+/, service.url));
  const filesOf = async (url: string) => unzip(Buffer.from(await (await download(url)).arrayBuffer()));
  const requestedBy = async (user: Parameters<typeof callerOf>[0]) => {
    const { id } = await requestExport(callerOf(user));
    return id;
  };

  it("holds what they wrote in any table, but for what is left out for a reason", async () => {
    const zoe = await buildMarked(service);

    expect((await call("post", zoe.token)).status).to.equal(201);
    const { url, bytes } = await ready(zoe);
    const answer = await download(url);
    const zip = Buffer.from(await answer.arrayBuffer());

    expect(answer.headers.get("content-disposition")).to.match(/^attachment; filename="export-\d{4}-\d\d-\d\d\.zip"$/);
    expect(answer.headers.get("cache-control")).to.equal("no-store");
    expect(zip).to.have.length(bytes);
    const files = await unzip(zip);
    const uploaded = [...files.keys()].filter((name) => name.startsWith(`media/${zoe.mediaId}-`));
    expect([...files.keys()].sort()).to.deep.equal(
      [...exportParts.map(({ name }) => `${name}.json`), "index.json", ...uploaded].sort(),
    );
    expect(uploaded).to.have.length(1);
    expect(files.get(uploaded[0]!)).to.equal(zoe.mark);
    for (const { name, rows } of JSON.parse(files.get("index.json")!).files)
      expect(JSON.parse(files.get(name)!), name)
        .to.be.an("array")
        .of.length(rows);
    expect(await missingFrom(files, zoe.mark)).to.deep.equal([]);
    const account = JSON.parse(files.get("account.json")!)[0];
    expect(account).to.include({ id: zoe.id, username: zoe.mark, mobile: zoe.mobile, date_of_birth: "1987-03-11" });
    expect([...files.values()].join("")).not.to.include("$argon2");
  });

  /** Returns the columns that contain the mark, and have no value with it in any file. */
  async function missingFrom(files: ReadonlyMap<string, string>, mark: string): Promise<string[]> {
    const all = [...files.values()].join("").toLowerCase();
    const columns = await textColumns(mark);
    const marked = columns.filter(({ name, marked }) => marked && !leftOut.has(name));
    expect(marked.length).to.be.greaterThan(30);
    const missing: string[] = [];
    for (const { name } of marked) {
      const [table, column] = name.split(".");
      const rows = await query<{ value: string }>(
        `SELECT "${column}"::text AS value FROM "${table}" WHERE "${column}"::text ILIKE $1`,
        [`%${mark}%`],
      );
      // A JSON value is written in another order of spaces: its words count.
      const words = rows.flatMap(({ value }) => value.toLowerCase().match(/[\w.:/@+-]*zq[\w.:/@+-]*/g) ?? []);
      if (!words.every((word) => all.includes(word))) missing.push(name);
    }
    return missing;
  }

  it("is one at a time, with a link for a day that others can't guess", async () => {
    const user = await buildUser();
    expect((await call("get", user.token)).body.error.code).to.equal("NOT_FOUND");
    const first = (await call("post", user.token)).body.data;
    const done = await ready(user);

    expect((await call("post", user.token)).body.data).to.include({ id: first.id, state: "ready", url: done.url });
    for (const wrong of [done.url.slice(0, -4), `${done.url}x`, done.url.replace(first.id, user.id)])
      expect((await download(wrong)).status, wrong).to.equal(404);
    for (let times = 0; times < 20; times += 1) expect((await download(done.url)).status).to.equal(200);
    expect((await download(done.url)).status).to.equal(404);

    await alone("UPDATE user_exports SET downloads = 0, expires_at = now() WHERE id = $1", [first.id]);
    expect((await download(done.url)).status).to.equal(404);
    expect((await call("get", user.token)).status).to.equal(404);
    const second = (await call("post", user.token)).body.data;
    expect(second.id).not.to.equal(first.id);
    await ready(user);
    await alone("UPDATE user_exports SET expires_at = now() WHERE id = $1", [second.id]);
    expect(await pruneExports()).to.equal(1);
    expect(await query("SELECT 1 FROM user_export_pieces WHERE export_id = $1", [second.id])).to.deep.equal([]);
  });

  it("is mailed to the address that its owner has verified", async () => {
    const [verified, unverified] = [await buildUser(), await buildUser()];
    await alone("UPDATE users SET email_verified_at = now() WHERE id = $1", [verified.id]);
    for (const user of [unverified, verified]) {
      await call("post", user.token);
      await ready(user);
    }
    const [mail] = await messagesTo(verified.email);
    expect(mail?.text).to.include((await getExport(callerOf(verified))).url);
    expect(await query("SELECT 1 FROM mail_outbox WHERE recipient = $1", [unverified.email])).to.deep.equal([]);
  });

  it("begins again wherever a process was killed, and fails after three attempts", async () => {
    const user = await buildUser();
    const broken: ExportPart[] = [...exportParts.slice(0, 3), { name: "broken", sql: "SELECT 1 / 0 AS one, $1::uuid" }];
    const id = await unhandled(user.id);
    const outcome = () =>
      makeExport(id, broken).then(
        () => "done",
        () => "failed",
      );

    expect([await outcome(), await outcome()]).to.deep.equal(["failed", "failed"]);
    expect((await getExport(callerOf(user))).state).to.equal("running");
    expect(await outcome()).to.equal("done");
    expect(await getExport(callerOf(user))).to.include({ state: "failed", url: null });

    expect(await requestedBy(user)).not.to.equal(id);
    const { url } = await ready(user);
    expect((await filesOf(url)).has("index.json")).to.equal(true);
  });

  /** An export that no job makes. */
  async function unhandled(userId: string): Promise<string> {
    const [row] = await alone<{ id: string }>(
      "INSERT INTO user_exports (id, user_id, expires_at) VALUES (uuidv7(), $1, now() + interval '1 day') RETURNING id",
      [userId],
    );
    return row!.id;
  }

  it("reads 100,000 messages in pieces, and stops when it is erased meanwhile", async () => {
    const user = await buildUser();
    const { id: roomId } = await buildRoom({ host: user });
    for (let inserted = 0; inserted < 100_000; inserted += 10_000)
      await query(
        `INSERT INTO room_messages (id, room_id, user_id, body)
         SELECT uuidv7(), $1, $2, md5(n::text) || md5((n + 1)::text) FROM generate_series(1, 10000) AS n`,
        [roomId, user.id],
      );
    await call("post", user.token);
    const { url, id, bytes } = await ready(user);
    const pieces = await queryOne<{ most: number; count: number }>(
      "SELECT max(length(content)) AS most, count(*) AS count FROM user_export_pieces WHERE export_id = $1",
      [id],
    );
    expect(pieces?.count).to.be.greaterThan(3);
    expect(pieces?.most).to.be.lessThan(1_200_000);
    expect(bytes).to.be.greaterThan(3_000_000);
    expect(JSON.parse((await filesOf(url)).get("room-messages.json")!)).to.have.length(100_000);

    await requestDeletion(callerOf(user));
    clock.forward(15 * 24 * 3600 * 1000);
    await alone("UPDATE users SET deletion_due_at = now() - interval '1 minute' WHERE id = $1", [user.id]);
    await eraseUser(user.id, service.actors);
    expect(await query("SELECT 1 FROM user_exports WHERE user_id = $1", [user.id])).to.deep.equal([]);
    expect((await download(url)).status).to.equal(404);
  }).timeout(60_000);
});

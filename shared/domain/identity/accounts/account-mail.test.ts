import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { configureMail } from "#shared/domain/identity/mail/send.ts";
import { configureLogger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { FakeSmtp } from "#shared/testing/fakes/fake-smtp.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { type AccountMail, accountMailJob, enqueueAccountMail, sendAccountMail } from "./account-mail.ts";
import { verifyAddress } from "./verify-address.ts";

describe("mail about an account", () => {
  useService();
  let server: FakeSmtp;
  let lines: string[] = [];
  beforeEach(async () => {
    lines = [];
    configureLogger({ level: "trace", pretty: false, destination: { write: (line) => lines.push(line) } });
    server = await FakeSmtp.start();
    configureMail({ smtp: { url: server.url, from: "no-reply@example.com" }, keepsUnsent: true });
  });
  afterEach(async () => {
    configureLogger({ level: "silent", pretty: false });
    configureMail({ keepsUnsent: true });
    await server.stop();
  });

  const outcomes = async (outcome: string): Promise<number> => {
    const { values } = await metrics.jobs.get();
    return values.find(({ labels }) => labels.job === accountMailJob.name && labels.outcome === outcome)?.value ?? 0;
  };

  it("is sent by a job, retried when the server rejects it, with a code that works; no log or job holds the address or code", async () => {
    const ada = await buildUser();
    const failed = await outcomes("failed");
    server.refuse(1);
    await inTransaction((tx) => enqueueAccountMail(tx, ada.id, "verify_email"));
    await until("the mail came", () => server.mails.length === 1, 15_000);
    expect(await outcomes("failed")).to.equal(failed + 1);
    const code = /Your verification code is (\d{6})/.exec(server.mails[0]!.data)?.[1];
    const jobs = await query("SELECT data, output FROM pgboss.job WHERE data ->> 'user_id' = $1", [ada.id]);
    const written = JSON.stringify(jobs) + lines.join("");
    expect(written).to.include("job failed and will be retried").and.include("EENVELOPE 451");
    for (const secret of [ada.email, code!]) expect(written.includes(secret), secret).to.equal(false);
    await verifyAddress("verify_email", ada.email, code!, { ip: "127.0.0.1" });
  });

  it("is not sent in a transaction that is rolled back", async () => {
    const ada = await buildUser();
    const rolledBack = inTransaction(async (tx) => {
      await enqueueAccountMail(tx, ada.id, "reset_password");
      throw new Error("rolled back");
    });
    await rolledBack.catch(() => undefined);
    expect(await query("SELECT 1 FROM pgboss.job WHERE data ->> 'user_id' = $1", [ada.id])).to.deep.equal([]);
  });

  it("is not sent when it is no longer needed", async () => {
    const [verified, deleted, kept] = [await buildUser(), await buildUser(), await buildUser()];
    await query("UPDATE users SET email_verified_at = now() WHERE id = $1", [verified.id]);
    await query("UPDATE users SET status = 'deleted', email = NULL WHERE id = $1", [deleted.id]);
    const cases: [string | null, AccountMail][] = [
      [null, "reset_password"],
      [verified.id, "verify_email"],
      [verified.id, "verify_mobile"],
      [deleted.id, "reset_password"],
      [deleted.id, "deletion_requested"],
      [kept.id, "deletion_requested"],
    ];
    for (const [userId, about] of cases) await sendAccountMail(userId, about);
    expect(server.mails).to.deep.equal([]);
  });
});

import { defineJob } from "#shared/db/jobs.ts";
import { queryOne } from "#shared/db/query.ts";
import { sendMail } from "#shared/domain/identity/mail/send.ts";
import { exportLink } from "./export-link.ts";

/** Mails the link of an export that is ready. The job holds no address: it is read when the mail is sent. */
export const exportMailJob = defineJob<{ export_id: string }>("mail.export", {
  retries: 12,
  retryMaxSeconds: 900,
  timeoutSeconds: 60,
});

/**
 * Mails the link to the user's verified address; handles `exportMailJob`. The person who reads an address that isn't
 * verified may not be the user.
 * @throws Error when the mail server does not accept it
 */
export async function mailExport(exportId: string): Promise<void> {
  const found = await queryOne<{ user_id: string; email: string; expires_at: string }>(
    `SELECT u.id AS user_id, u.email, e.expires_at FROM user_exports e JOIN users u ON u.id = e.user_id
     WHERE e.id = $1 AND e.state = 'ready' AND u.email_verified_at IS NOT NULL AND u.status = 'active'`,
    [exportId],
  );
  if (!found) return;
  const date = `${found.expires_at.slice(0, 16).replace("T", " ")}`;
  await sendMail({ userId: found.user_id, address: found.email }, "export-ready", { link: exportLink(exportId), date });
}

import type { AppealStatus } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { hasLapsed } from "#shared/domain/identity/accounts/addresses.ts";
import { sendMail } from "#shared/domain/identity/mail/send.ts";
import { sanctionStatus } from "#shared/domain/identity/sanctions/sanctions.queries.ts";
import { appealLink } from "./appeal-link.ts";

interface Found {
  readonly user_id: string;
  readonly username: string;
  readonly email: string;
  readonly reason: string;
  readonly until: string | null;
  readonly is_active: boolean;
  readonly decision: AppealStatus | null;
  readonly answer: string | null;
}

/**
 * Mails a user whom a sanction keeps out, whatever notifications they want, since the app is closed to them: why, until
 * when, and the link of their appeal, or what was decided about it. Handles `keptOutMailJob`.
 * @throws Error when the mail server does not accept it
 */
export async function mailKeptOut(sanctionId: string, about: "imposed" | "decided"): Promise<void> {
  const found = await queryOne<Found>(
    `SELECT u.id AS user_id, u.username, u.email, s.reason, s.until, ${sanctionStatus} = 'active' AS is_active,
       a.status AS decision, a.answer
     FROM sanctions s JOIN users u ON u.id = s.user_id LEFT JOIN appeals a ON a.sanction_id = s.id
     WHERE s.id = $1 AND u.status <> 'deleted' AND u.email IS NOT NULL AND NOT ${hasLapsed("email")}`,
    [sanctionId],
  );
  if (!found) return;
  const { user_id, username, email, reason, until, is_active, decision, answer } = found;
  const to = { userId: user_id, address: email };
  if (about === "decided") {
    if (decision === "overturned") await sendMail(to, "appeal-overturned", { username, answer: answer ?? "" });
    if (decision === "upheld") await sendMail(to, "appeal-upheld", { username, answer: answer ?? "" });
  } else if (is_active && decision === null) {
    const values = { username, reason, link: appealLink(sanctionId) };
    if (until === null) await sendMail(to, "kept-out", values);
    else await sendMail(to, "kept-out-until", { ...values, date: until.slice(0, 16).replace("T", " ") });
  }
}

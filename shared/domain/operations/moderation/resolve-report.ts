import type { Permission } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { ReportAction, ReportEffect, ResolvedReport } from "#shared/contracts/views.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { assertInFuture, suspendStep } from "#shared/domain/identity/accounts/suspend-user.ts";
import { imposeByAdmin, type SanctionInput } from "#shared/domain/identity/sanctions/impose-sanction.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { Report } from "#shared/domain/operations/reports/report.model.ts";
import { notify } from "#shared/domain/social/notifications/notify.ts";
import { moderateStep } from "#shared/domain/social/posts/moderate.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { textOf } from "#shared/kernel/translate.ts";
import { lockReport, type OpenReport } from "./claim-report.ts";
import { removeMessage } from "./remove-message.ts";
import { removePictures } from "./remove-pictures.ts";
import { getManagedReport } from "./reports.queries.ts";

export interface Resolution {
  readonly resolution: "resolved" | "dismissed";
  /** For administrators. */
  readonly note?: string | undefined;
  /** What the user whose thing it is is told about a removal or a suspension. */
  readonly told?: string | undefined;
  /** The action taken on the target; only with `resolved`. */
  readonly action?: ReportAction | undefined;
  /** When a suspension ends by itself, ISO 8601. */
  readonly until?: string | undefined;
  /** Imposed on the user whose thing it is. */
  readonly sanction?: Pick<SanctionInput, "kinds" | "until" | "reason"> | undefined;
}

/**
 * Closes a report, and does something about its target in the same transaction. What has been done already is not done
 * again, so reports of the same thing can be resolved alike. The reporter is told of the resolution only; a warning
 * goes to the user whose thing it is.
 * @throws NOT_FOUND, CONFLICT when the report is closed, or claimed by another administrator, VALIDATION_ERROR for an
 *   action that its target doesn't have, FORBIDDEN without the permission for the action
 */
export async function resolveReport(
  caller: AdminPrincipal,
  id: string,
  { resolution, note = "", told, action, until, sanction }: Resolution,
): Promise<ResolvedReport> {
  if (action && resolution === "dismissed") throw invalidAction("A dismissed report has no action.");
  if (until !== undefined && action !== "suspend")
    throw invalidFields([{ field: "until", text: "until is allowed only with the action suspend" }]);
  assertInFuture(until);
  if (sanction && resolution === "dismissed")
    throw invalidFields([{ field: "sanction", text: "A dismissed report has no action." }]);

  return inTransaction(async (tx) => {
    const report = await lockReport(tx, caller, id);
    const effects = action ? await actOn(tx, caller, id, report, action, { note, told, until }) : [];
    if (sanction) {
      assertPermitted(caller, "sanctions.write");
      effects.push(await impose(tx, caller, { ...sanction, user_id: report.target_user_id, report_id: id }));
    }
    const closed = { status: resolution, action: action ?? null, note, closed_at: now, closed_by: caller.adminId };
    await Report.change(tx, { id }, { ...closed, claimed_by: null, claimed_until: null });
    await tx.audit(caller, {
      action: "report.resolve",
      target: { type: "report", id },
      before: { status: "open" },
      after: { status: resolution, ...(action && { action }) },
    });
    await tellOf(tx, "report_closed", report.reporter_id, id);
    return { ...(await getManagedReport(id)), effects };
  });
}

const invalidAction = (text: string) => invalidFields([{ field: "action", text }]);

/** Required in addition to the permission for reports. */
const permissionFor = (action: ReportAction, type: OpenReport["target_type"]): Permission | undefined => {
  if (action === "suspend") return "users.suspend";
  return type === "post" || type === "comment" ? "posts.write" : undefined;
};

function assertPermitted({ permissions }: AdminPrincipal, permission: Permission): void {
  if (!permissions.includes(permission))
    throw new DomainError("FORBIDDEN", "This action requires the permission {{permission}}.", {
      values: { permission },
    });
}

/** Step: imposes a sanction because of a report. `isTold`: the user is notified otherwise. */
async function impose(
  tx: Tx,
  caller: AdminPrincipal,
  sanction: SanctionInput,
  options?: { readonly isTold: boolean },
): Promise<ReportEffect> {
  const id = await imposeByAdmin(tx, caller, sanction, options);
  return { action: "sanction.create", type: "sanction", id };
}

/** Returns a text of the notifications in the user's language. */
async function textFor(userId: string, key: string): Promise<string> {
  const user = await User.read({ id: userId }, ["language"]);
  return textOf(user?.language ?? "en", "notifications", key);
}

/** Step: records the warning that the user is notified of, in their words. */
async function warn(tx: Tx, caller: AdminPrincipal, userId: string, reportId: string, type: string) {
  const reason = await textFor(userId, `warning.${type}`);
  return impose(tx, caller, { user_id: userId, kinds: [], reason, report_id: reportId }, { isTold: true });
}

/** Step: performs the action. Returns what has changed. */
async function actOn(
  tx: Tx,
  caller: AdminPrincipal,
  reportId: string,
  { target_type: type, target_id: id, target_user_id: userId }: OpenReport,
  action: ReportAction,
  { note, told, until }: { note: string; told: string | undefined; until: string | undefined },
): Promise<ReportEffect[]> {
  const permission = action === "warn" ? undefined : permissionFor(action, type);
  if (permission) assertPermitted(caller, permission);

  const reason = note || `Reported ${type}`;
  const effectOf = (done: boolean, effect: ReportEffect) => (done ? [effect] : []);
  switch (action) {
    case "warn":
      await tellOf(tx, "warning", userId, reportId, type);
      return [await warn(tx, caller, userId, reportId, type)];
    case "suspend":
      return effectOf(
        await suspendStep(tx, caller, userId, { reason, until, told: told ?? (await textFor(userId, "guidelines")) }),
        { action: "user.suspend", type: "user", id: userId },
      );
    case "hide":
    case "remove":
      if (type === "post" || type === "comment")
        return effectOf(await moderateStep(tx, caller, action, { type, id, reason, told }), {
          action: `${type}.${action}`,
          type,
          id,
        });
      if (type === "message" && action === "remove")
        return effectOf(await removeMessage(tx, caller, id, told), { action: "message.remove", type, id });
      if (type === "user" && action === "remove")
        return effectOf(await removePictures(tx, caller, userId, told), {
          action: "user.remove_pictures",
          type,
          id: userId,
        });
      throw invalidFields([
        {
          field: "action",
          text:
            action === "hide" ? "A {{type}} can't be hidden by a report." : "A {{type}} can't be removed by a report.",
          values: { type },
        },
      ]);
  }
}

/** Step: tells a user, without a word about anyone else. */
async function tellOf(
  tx: Tx,
  type: "report_closed" | "warning",
  receiverId: string,
  reportId: string,
  target_type?: OpenReport["target_type"],
): Promise<void> {
  const key = `${type}:${reportId}`;
  const data = type === "warning" ? { target_type: target_type! } : { report_id: reportId };
  await notify(tx, [{ type, setting: null, actorId: null, receiverId, eventKey: key, groupKey: key, data }]);
}

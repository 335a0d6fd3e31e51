import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { DecidedContent, ReportEffect } from "#shared/contracts/views.ts";
import { countChanges } from "#shared/db/batches.ts";
import { now, type RowOf } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { HeldContent } from "#shared/domain/base/filter/held-content.model.ts";
import { moderateStep } from "#shared/domain/social/posts/moderate.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { removeMessage } from "../moderation/remove-message.ts";
import { releaseJob } from "./release-content.ts";
import { getQueuedReview } from "./review-queue.queries.ts";
import { tellAuthor } from "./tell-author.ts";

export interface ContentDecision {
  /** `release`: others see it, or go on to. `reject`: they never do, or no longer. */
  readonly decision: "release" | "reject";
  /** For administrators. */
  readonly note?: string;
  /** What the author is told about a rejection. Default: the text of the rule. */
  readonly told?: string;
}

/**
 * Decides about something that a rule has held, or has had reviewed. What is released is shown in the order of the
 * decisions; its author is told.
 * @throws NOT_FOUND, also for reports, which are resolved; CONFLICT when it is decided
 */
export async function decideHeldContent(
  caller: AdminPrincipal,
  id: string,
  { decision, note = "", told }: ContentDecision,
): Promise<DecidedContent> {
  const effects = await inTransaction(async (tx) => {
    const found = await HeldContent.lock(tx, { id });
    const held = found && { ...found, reason: told ?? found.reason };
    if (!held || held.status === "judging") throw new DomainError("NOT_FOUND");
    if (held.status !== "held" && held.status !== "shown")
      throw new DomainError("CONFLICT", "This has been decided already.");
    const status = decision === "release" ? "released" : "rejected";
    const { reason } = decision === "reject" ? held : found!;
    const decided = { status, note, reason, decided_by: caller.adminId, decided_at: now } as const;
    await HeldContent.change(tx, { id }, held.status === "shown" ? { ...decided, delivered_at: now } : decided);
    const done = held.status === "shown" && decision === "reject" ? await takeDown(tx, caller, held) : [];
    // The author of what is shadowed isn't told that it never was shown.
    if (held.status === "held" && !(held.shadowed && decision === "reject"))
      await (decision === "release" ? tx.enqueue(releaseJob, {}) : tellAuthor(tx, held, "rejected", null, caller));
    await tx.audit(caller, {
      action: "held_content.decide",
      target: { type: "held_content", id },
      before: { status: held.status },
      after: { status },
      ...(note && { reason: note }),
    });
    return done;
  });
  return { ...(await getQueuedReview(id)), effects };
}

type Held = RowOf<typeof HeldContent>;

/** Step: removes what is shown. Returns what has changed. */
async function takeDown(tx: Tx, caller: AdminPrincipal, held: Held): Promise<ReportEffect[]> {
  const { place, content_id, rule_name, reason } = held;
  const told = reason ?? undefined;
  // A ticket or a name isn't taken away: what follows is done there.
  if (content_id === null || place === "ticket") return [];
  const id = content_id;
  if (place === "post" || place === "comment") {
    const done = await moderateStep(tx, caller, "remove", { type: place, id, reason: rule_name, told });
    return done ? [{ action: `${place}.remove`, type: place, id }] : [];
  }
  return (await removeMessage(tx, caller, id, told)) ? [{ action: "message.remove", type: "message", id }] : [];
}

/** Step: deletes what a user wrote that is held, or was. Returns how many rows. */
export const eraseHeld = (tx: Tx, userId: string): Promise<number> =>
  countChanges(tx, userId, "DELETE FROM held_content WHERE user_id = $1 RETURNING 1");

/** Deletes what was decided three months ago, some at a time. Returns how many. Called by a job. */
export const pruneHeld = (most = 500): Promise<number> =>
  inTransaction(async (tx) => {
    const pruned = await tx.query(
      `DELETE FROM held_content WHERE id IN (
         SELECT id FROM held_content WHERE decided_at < now() - interval '90 days' ORDER BY decided_at LIMIT $1
       ) RETURNING 1`,
      [most],
    );
    return pruned.length;
  });

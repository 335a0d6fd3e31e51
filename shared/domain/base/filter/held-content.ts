import { defineJob } from "#shared/db/jobs.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Rule, Where } from "./compile-rules.ts";
import { HeldContent } from "./held-content.model.ts";
import type { HoldingPlace, TextPlace } from "./places.ts";

/** How much of one person may wait: a flood would bury what others wrote. */
const waitingMax = 100;

/** Why a text is held. */
export interface Holding {
  readonly rule: Rule;
  /** For the judge's rules. */
  readonly where?: Where;
  readonly waitsFor: "judge" | "review";
  /** Its author sees it as sent. */
  readonly shadowed: boolean;
}

/** Asks the judge about a text. */
export const judgeTextJob = defineJob<{ id: string }>("content.judge", {
  retries: 5,
  retryMaxSeconds: 10,
  timeoutSeconds: 30,
});

interface Written {
  readonly place: TextPlace;
  readonly userId: string;
  /** The room, the conversation, or the post that it was written to. */
  readonly targetId: string | null;
  readonly text: string;
}

/** A text that can be held. */
export interface HeldText extends Written {
  readonly place: HoldingPlace;
  readonly id?: string;
  readonly input: object;
  readonly clientId?: string | undefined;
  /** The kind, the medium, and the mentions of a message, for its author to see while it is shadowed. */
  readonly shown?: object;
}

const columnsOf = ({ place, userId, targetId, text }: Written, { id, version, name, action }: Rule) => ({
  place,
  user_id: userId,
  target_id: targetId,
  text,
  rule_id: id,
  rule_name: name,
  rule_version: version,
  reason: action.text,
  harm: ("harm" in action && action.harm) || 2,
});

/**
 * Step: keeps a text until it is released; `input` is what its command gets then. A repeated `client_id` of a person at
 * one place keeps the first. Returns its ID. @throws RATE_LIMITED while too much of theirs waits
 */
export async function hold(tx: Tx, written: HeldText, { rule, waitsFor, shadowed, where }: Holding): Promise<string> {
  const { input, clientId = null } = written;
  const [waiting] = await tx.query<{ n: number }>(
    "SELECT count(*) AS n FROM held_content WHERE user_id = $1 AND status IN ('judging', 'held')",
    [written.userId],
  );
  if (waiting!.n >= waitingMax)
    throw shadowed
      ? new DomainError("RATE_LIMITED", undefined, { retryAfter: 60 })
      : new DomainError("RATE_LIMITED", "Too much of what you wrote waits for a review.", { retryAfter: 60 });
  const status = waitsFor === "judge" ? "judging" : "held";
  const row = {
    id: written.id ?? newId(),
    ...columnsOf(written, rule),
    input,
    client_id: clientId,
    circumstances: where ?? (shadowed && written.shown ? written.shown : null),
    status,
    shadowed,
  } as const;
  const { id } = await HeldContent.put(tx, row, ["user_id", "target_id", "client_id"], ["client_id"]);
  if (status === "judging") await tx.enqueue(judgeTextJob, { id });
  return id;
}

/** What belongs to the transaction that stores a text for others, as `contentId`. */
export type AlsoStored = (tx: Tx, contentId: string) => Promise<unknown>;

/** Has a text reviewed that is shown already, if a rule wants that. */
export const reviewed = (written: Written, rule: Rule | undefined): AlsoStored | undefined =>
  rule &&
  ((tx, content_id) =>
    HeldContent.insert(tx, { id: newId(), ...columnsOf(written, rule), status: "shown", content_id }));

/** The same for a text that is no content of its own, such as a name. It isn't waited for: an actor has its turn. */
export function reviewLater(written: Written, rule: Rule): void {
  const row = { id: newId(), ...columnsOf(written, rule), status: "shown" } as const;
  inTransaction((tx) => HeldContent.insert(tx, row)).catch((error: unknown) =>
    logger.error({ err: error }, "a review of a text could not be asked for"),
  );
}

import type { VoiceActors } from "#shared/contracts/actors.ts";
import { service } from "#shared/contracts/principal.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { now, type RowOf } from "#shared/db/model.ts";
import { queryColumn, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { HeldContent } from "#shared/domain/base/filter/held-content.model.ts";
import type { AlsoStored } from "#shared/domain/base/filter/held-content.ts";
import { judgeHeld } from "#shared/domain/base/filter/judge/judge-held.ts";
import type { HoldingPlace } from "#shared/domain/base/filter/places.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { deliverMessage, type MessageInput } from "#shared/domain/social/conversations/send-message.ts";
import { publishComment } from "#shared/domain/social/posts/add-comment.ts";
import { type PostInput, publishPost } from "#shared/domain/social/posts/create-post.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { tellAuthor } from "./tell-author.ts";

/** Shows what has been released to others. */
export const releaseJob = defineJob("content.release", {
  retries: 5,
  retryMaxSeconds: 30,
  timeoutSeconds: 120,
});

/** What is left after all tries. Run every minute. */
export const releaseDueJob = defineJob("content.release_due", {
  retries: 0,
  retryMaxSeconds: 60,
  timeoutSeconds: 120,
  exclusive: true,
});

type Held = RowOf<typeof HeldContent>;

/** Asks the judge about a text; handles `judgeTextJob`. */
export const judgeContentOf = (id: string): Promise<void> =>
  judgeHeld(id, {
    rejected: (tx, held) => tellAuthor(tx, held, "rejected"),
    released: (tx) => tx.enqueue(releaseJob, {}),
  });

/**
 * Asks the judge about texts whose job has used up its tries, because the database was away, and shows what was
 * released.
 */
export async function tendHeld(actors: VoiceActors): Promise<void> {
  const late = await queryColumn(
    `SELECT id FROM held_content WHERE status = 'judging' AND created_at < now() - interval '5 minutes'
     ORDER BY created_at LIMIT 50`,
  );
  await Promise.all(late.map((id) => judgeContentOf(id)));
  await releaseContent(actors);
}

/** How each place shows what was held there. `also` belongs to the transaction that stores it, if there is one. */
const deliveries: {
  readonly [Place in HoldingPlace]: (held: Held, also: AlsoStored, actors: VoiceActors) => Promise<unknown>;
} = {
  // The actor stores many messages at a time: the same `client_id` is stored once, however often this runs.
  room_message: async ({ id, user_id, target_id, input }, also, { voice }) => {
    const message = { client_id: `held-${id}`, ...(input as { body: string }) };
    const shown = await voice(target_id!, service, "message:release", { user_id, message });
    if (!shown.ok) throw DomainError.from(shown);
    await inTransaction((tx) => also(tx, shown.value.id));
  },
  direct_message: async ({ user_id, target_id, input }, also) => {
    const { created } = await deliverMessage({ userId: user_id }, target_id!, input as unknown as MessageInput, also);
    // Its author has sent another message with its `client_id`.
    if (!created) throw new DomainError("CONFLICT");
  },
  post: ({ user_id, text, input }, also) =>
    publishPost({ userId: user_id }, { ...(input as PostInput), content: text }, also),
  comment: ({ user_id, target_id, text }, also) =>
    publishComment({ userId: user_id }, { post_id: target_id!, content: text }, also),
};

/** Errors after which it is tried again. The others say that it can't be shown any longer. */
const passing = new Set(["ENGINE_UNAVAILABLE", "RATE_LIMITED", "INTERNAL_ERROR"]);

let running: Promise<void> = Promise.resolve();

/**
 * Shows everything that has been released, in the order of the decisions. What fails for now is tried again later. Runs
 * once at a time in a process; another process that runs it, too, tries the same thing first, and finds it shown.
 */
export function releaseContent(actors: VoiceActors): Promise<void> {
  running = running.catch(() => undefined).then(() => releaseAll(actors));
  return running;
}

/** Another process has shown it. */
class ShownAlready extends Error {}

/** The same, beside others. */
export async function releaseAll(actors: VoiceActors): Promise<void> {
  let after = { decided_at: "-infinity", id: "00000000-0000-0000-0000-000000000000" };
  let failure: unknown;
  for (;;) {
    const next = await queryOne<{ id: string; decided_at: string }>(
      `SELECT id, decided_at::text FROM held_content
       WHERE status = 'released' AND delivered_at IS NULL AND (decided_at, id) > ($1::timestamptz, $2::uuid)
       ORDER BY decided_at, id LIMIT 1`,
      [after.decided_at, after.id],
    );
    if (!next) break;
    after = next;
    await deliver(next.id, actors).catch((error: unknown) => {
      failure = error;
    });
  }
  if (failure) throw failure;
}

async function deliver(id: string, actors: VoiceActors): Promise<void> {
  const held = await HeldContent.read({ id });
  if (!held || held.delivered_at !== null) return;
  const note: AlsoStored = async (tx, content_id) => {
    const { delivered_at } = (await HeldContent.lock(tx, { id }, ["delivered_at"]))!;
    if (delivered_at !== null) throw new ShownAlready();
    await HeldContent.change(tx, { id }, { content_id, delivered_at: now });
    await tellAuthor(tx, held, "released", content_id);
  };
  try {
    const author = await User.read({ id: held.user_id }, ["status"]);
    if (author?.status !== "active") throw new DomainError("NOT_FOUND");
    await deliveries[held.place as HoldingPlace](held, note, actors);
  } catch (error) {
    if (error instanceof ShownAlready) return;
    if (!(error instanceof DomainError) || passing.has(error.code)) throw error;
    logger.info({ held: id, code: error.code }, "what was held can no longer be shown");
    await inTransaction(async (tx) => {
      if ((await HeldContent.lock(tx, { id }, ["delivered_at"]))?.delivered_at !== null) return;
      await HeldContent.change(tx, { id }, { delivered_at: now });
      await tellAuthor(tx, held, "released");
    });
  }
}

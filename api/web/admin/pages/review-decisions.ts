import type { QueuedReviewDetails } from "../../../../shared/client/admin.ts";
import type { Permission } from "../api.ts";
import { call, type Input } from "../data.ts";

type Sanction = NonNullable<Input<"imposeSanction">["body"]>;

/** What a sanction takes, for how long, and what the person is told. Hours: 0 until it is lifted. */
export interface SanctionChoice {
  readonly kinds: Sanction["kinds"];
  readonly hours: number;
  readonly reason: string;
}

export const verbs = ["release", "remove", "warn", "sanction"] as const;
export type Verb = (typeof verbs)[number];

/** The key of each decision. Capital `T` asks again what the sanction is to be. */
export const keyOf = { release: "r", remove: "x", warn: "w", sanction: "t" } as const satisfies Record<Verb, string>;

const isPost = (about: string): boolean => about === "post" || about === "comment";
const isRemovable = ({ kind, about }: Reviewed): boolean =>
  kind === "content" || isPost(about) || about === "message" || about === "user";

type Reviewed = Pick<QueuedReviewDetails, "id" | "kind" | "about" | "user_id" | "status" | "cause">;

/** Returns which decisions fit a review, and the administrator's rights. */
export function verbsFor(review: Reviewed, can: (permission: Permission) => boolean): readonly Verb[] {
  if (review.status !== "open" || !can("reports.write")) return [];
  const mayRemove = isRemovable(review) && (review.kind === "content" || !isPost(review.about) || can("posts.write"));
  const may: Record<Verb, boolean> = {
    release: true,
    remove: mayRemove,
    warn: review.kind === "report" || can("sanctions.write"),
    sanction: can("sanctions.write"),
  };
  return verbs.filter((verb) => may[verb]);
}

const untilOf = ({ hours }: SanctionChoice) =>
  hours === 0 ? undefined : new Date(Date.now() + hours * 3_600_000).toISOString();

/**
 * Sends a decision. Held content is released or refused, a report is dismissed or resolved. A sanction also removes
 * what it is about, where that is possible.
 */
export async function decide(
  review: Reviewed,
  verb: Verb,
  { choice, mayRemove }: { readonly choice?: SanctionChoice | undefined; readonly mayRemove: boolean },
): Promise<void> {
  const params = { id: review.id };
  const sanction =
    verb === "sanction" && choice ? { kinds: choice.kinds, until: untilOf(choice), reason: choice.reason } : undefined;
  if (review.kind === "report") {
    const action = verb === "warn" ? "warn" : verb !== "release" && mayRemove ? "remove" : undefined;
    await call("resolveReport", {
      params,
      body: {
        resolution: verb === "release" ? "dismissed" : "resolved",
        ...(action && { action }),
        ...(sanction && { sanction }),
      },
    });
    return;
  }
  await call("decideHeldContent", { params, body: { decision: verb === "release" ? "release" : "reject" } });
  const told = verb === "warn" ? { kinds: [], reason: review.cause } : sanction;
  if (told) await call("imposeSanction", { body: { user_id: review.user_id, ...told } });
}

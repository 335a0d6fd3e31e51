type BlockOutcome = "ok" | "NOT_FOUND" | "BLOCKED" | "REQUEST_NOT_PENDING";

/** What a call is told while a block stands between its caller and the user whom it names, or whose thing it names. */
interface BlockRule {
  /** To a caller whom the user has blocked. `ok`: the call has its usual outcome. */
  readonly blocked: BlockOutcome;
  /** To a caller who has blocked the user, unless the user has blocked them, too. */
  readonly blocker: BlockOutcome;
  /** For the documents. */
  readonly text: string;
}

/**
 * What each of the two users is told about a block, depending on what a call names. Every route and client event that
 * takes an ID declares one of these rules. The domain, the documents, and the tests read it.
 */
export const blockRules = {
  /** The calls by which users see and undo what they have blocked. */
  profile: {
    blocked: "NOT_FOUND",
    blocker: "ok",
    text: "If the user has blocked you, the error is `NOT_FOUND`. If you have blocked them, the call works.",
  },
  person: {
    blocked: "NOT_FOUND",
    blocker: "BLOCKED",
    text: "If the user has blocked you, the error is `NOT_FOUND`. If you have blocked them, it is `BLOCKED`.",
  },
  content: {
    blocked: "NOT_FOUND",
    blocker: "NOT_FOUND",
    text: "While one of you has blocked the other, the error is `NOT_FOUND`.",
  },
  /** Blocking cancels the friend request between the two. */
  request: {
    blocked: "REQUEST_NOT_PENDING",
    blocker: "REQUEST_NOT_PENDING",
    text: "A block cancels the request: the error is `REQUEST_NOT_PENDING`.",
  },
  /** Where the two already know of each other. */
  shared: {
    blocked: "BLOCKED",
    blocker: "BLOCKED",
    text: "While one of you has blocked the other, the error is `BLOCKED`.",
  },
  /** Reports and blocks, one's own part in a room or game, one's own comments, and what hosts and moderators do. */
  unaffected: { blocked: "ok", blocker: "ok", text: "A block doesn't change the outcome." },
  /** Names nothing of another user. */
  none: { blocked: "ok", blocker: "ok", text: "" },
} as const satisfies Record<string, BlockRule>;

export type BlockRuleName = keyof typeof blockRules;

/** Returns the error codes of a rule. */
export function blockCodesOf(name: BlockRuleName = "none"): Exclude<BlockOutcome, "ok">[] {
  const { blocked, blocker }: BlockRule = blockRules[name];
  return [blocked, blocker].filter((outcome) => outcome !== "ok");
}

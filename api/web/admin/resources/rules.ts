type Row = Readonly<Record<string, unknown>>;

const hasStatus =
  (...values: readonly string[]) =>
  ({ status }: Row) =>
    typeof status !== "string" || values.includes(status);

/** For which records an action is offered. The server decides; without a rule, it is offered for all. */
const offered: Readonly<Record<string, (record: Row) => boolean>> = {
  suspendUser: hasStatus("active", "deletion_pending"),
  reactivateUser: hasStatus("suspended"),
  closeRoom: hasStatus("open"),
  claimReport: hasStatus("open"),
  resolveReport: hasStatus("open"),
  requestVoiceEvidence: hasStatus("sealed"),
  approveVoiceEvidence: hasStatus("requested"),
  closeVoiceEvidence: hasStatus("requested", "open"),
  listenToVoiceEvidence: hasStatus("open"),
  hidePost: hasStatus("visible"),
  showPost: hasStatus("hidden"),
  removePost: hasStatus("visible", "hidden"),
  hideComment: hasStatus("visible"),
  showComment: hasStatus("hidden"),
  removeComment: hasStatus("visible", "hidden"),
  approveAdjustment: hasStatus("pending"),
  declineAdjustment: hasStatus("pending"),
  approveMoneyAdjustment: hasStatus("pending"),
  declineMoneyAdjustment: hasStatus("pending"),
  computeRun: hasStatus("draft", "checked"),
  checkRun: hasStatus("draft"),
  approveRun: hasStatus("checked"),
  cancelRun: hasStatus("draft", "checked"),
  approvePayout: hasStatus("requested"),
  declinePayout: hasStatus("requested", "approved"),
  refundOrder: hasStatus("paid"),
  completeCatalogueOrder: hasStatus("placed", "processing"),
  cancelCatalogueOrder: hasStatus("placed", "processing"),
  retryCatalogueOrder: hasStatus("processing"),
  approveCatalogueCustomer: hasStatus("applied", "suspended"),
  suspendCatalogueCustomer: hasStatus("applied", "approved"),
  stopBroadcast: hasStatus("scheduled", "sending"),
  respondToTicket: hasStatus("open", "answered"),
  publishCatalogueReview: hasStatus("held"),
  holdCatalogueReview: hasStatus("published"),
  removeCatalogueReview: hasStatus("held", "published"),
  endCatalogueCampaign: ({ ended_at }) => ended_at === null,
  pauseEventEndpoint: ({ disabled_at }) => disabled_at === null,
  resumeEventEndpoint: ({ disabled_at }) => disabled_at !== null,
  endAdminSession: ({ is_current }) => is_current !== true,
};

export const isOffered = (operation: string, record: Row): boolean => offered[operation]?.(record) ?? true;

/** What takes something away, or can't be undone: shown in red. */
const destructive = /^(adjust|cancel|close|decline|delete|disable|end|hide|refund|remove|set|stop|suspend)[A-Z]/;

export const isDestructive = (operation: string): boolean => destructive.test(operation);

/** What does no harm, and needs no more than a click. */
const harmless = new Set(["claimReport", "retryDeadJob", "retryDeadEvent", "retryCatalogueOrder"]);

export const isHarmless = (operation: string): boolean => harmless.has(operation);

/** Sentences for those who write programs. */
const ofCalls = /If-Match|in the body|error\.details/;

/** Returns what an operation's description says to those who decide. */
export const sentencesFor = (description = ""): string =>
  description
    .split(/(?<=\.) /)
    .filter((sentence) => !ofCalls.test(sentence))
    .join(" ")
    .replaceAll("`", "");

/** What a user can do before they have accepted the terms that hold: read and accept them, leave, export their data. */
export const openWithoutTerms: ReadonlySet<string> = new Set([
  "getMe",
  "getCurrentUser",
  "getTerms",
  "acceptTerms",
  "listLoginSessions",
  "endLoginSession",
  "listOwnSanctions",
  "appealSanction",
  "requestAccountDeletion",
  "requestDataExport",
  "getDataExport",
]);

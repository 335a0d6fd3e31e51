import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { auditRefusal } from "#shared/db/audit-refusal.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";

/** The result for one of several items: `done`, or its error code. */
export interface BulkResult {
  readonly id: string;
  readonly outcome: string;
}

/**
 * Runs `work` for each of these IDs, one after another. One that is rejected doesn't hold up the others. If the caller
 * was refused any of them, that is written to the audit log, once.
 */
export async function inBulk<More extends object>(
  { caller, operation }: { readonly caller: AdminPrincipal; readonly operation: string },
  ids: readonly string[],
  work: (id: string) => Promise<More | undefined>,
): Promise<(BulkResult & Partial<More>)[]> {
  const results: (BulkResult & Partial<More>)[] = [];
  for (const id of ids)
    try {
      results.push({ ...(await work(id)), id, outcome: "done" } as BulkResult & Partial<More>);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      results.push({ id, outcome: error.code } as BulkResult & Partial<More>);
    }
  const refused = results.filter(({ outcome }) => outcome === refusal).map(({ id }) => id);
  if (refused.length > 0) await auditRefusal(caller, operation, { refused });
  return results;
}

const refusal: ErrorCode = "FORBIDDEN";

/** Returns the entry about the refusals in these results, for the audit rule of the operation. */
export const refusalsIn = (operation: string, results: readonly BulkResult[]) =>
  results.some(({ outcome }) => outcome === refusal)
    ? [{ action: "access.refuse", type: "operation", id: operation }]
    : [];

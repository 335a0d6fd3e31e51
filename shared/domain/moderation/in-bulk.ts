import { DomainError } from "#shared/kernel/domain-error.ts";

/** The result for one of several items: `done`, or its error code. */
export interface BulkResult {
  readonly id: string;
  readonly outcome: string;
}

/** Runs `work` for each of these IDs, one after another. One that is rejected doesn't hold up the others. */
export async function inBulk<More extends object>(
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
  return results;
}

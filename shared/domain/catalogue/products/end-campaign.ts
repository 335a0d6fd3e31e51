import type { Principal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedRecord, RecordId } from "#shared/domain/base/managed/managed-resource.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { managedCatalogueCampaigns } from "./managed-campaigns.ts";

/**
 * Ends a campaign before its time, or before it has begun. Orders keep the price that they were placed at; the next
 * ones are at the regular price.
 * @throws NOT_FOUND, CONFLICT when it is over
 */
export function endCampaign(principal: Principal, id: RecordId): Promise<ManagedRecord> {
  const { name } = managedCatalogueCampaigns;
  return inTransaction(async (tx) => {
    const [ended] = await tx.query<{ version: number; ended_at: string }>(
      `UPDATE catalogue_campaigns
       SET ended_at = greatest(now(), starts_at), version = version + 1, updated_at = now()
       WHERE id = $1 AND ended_at IS NULL AND ends_at > now() RETURNING version, ended_at`,
      [id],
    );
    const campaign = await getManaged(managedCatalogueCampaigns, id);
    if (!ended) throw new DomainError("CONFLICT", "This campaign is over.");

    await tx.audit(principal, {
      action: `${name}.end`,
      target: { type: name, id: String(id) },
      before: { ended_at: null },
      after: { ...ended },
    });
    return campaign;
  });
}

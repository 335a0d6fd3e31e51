import type { CatalogueCustomer, CustomerStatus } from "#shared/contracts/catalogue-customer-views.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { NewApiKey } from "#shared/contracts/views.ts";
import { increased } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { createApiKey } from "#shared/domain/identity/api-keys/api-keys.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { Customer } from "./customer.model.ts";

/** Step: returns the integer by which the catalogue knows a user. */
export async function customerOf(tx: Tx, userId: string): Promise<number> {
  await tx.query("INSERT INTO catalogue_customers (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING", [userId]);
  const customer = await Customer.read({ user_id: userId }, ["id"]);
  return customer!.id;
}

/** Returns a user's record as a customer. @throws NOT_FOUND */
export async function getCustomer(userId: string): Promise<CatalogueCustomer> {
  const found = await Customer.read({ user_id: userId }, ["id", "status", "created_at"]);
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}

/** Applies to be a customer, once. By a setting, the caller is approved at once. */
export const applyAsCustomer = ({ userId }: UserPrincipal): Promise<CatalogueCustomer> =>
  inTransaction(async (tx) => {
    await apply(tx, userId);
    return getCustomer(userId);
  });

/** Step: records an application unless there is one, and locks it. Returns the customer's status. */
async function apply(tx: Tx, userId: string): Promise<CustomerStatus> {
  const id = await customerOf(tx, userId);
  const customer = await Customer.lock(tx, { id }, ["status"]);
  if (customer!.status !== "applied" || !setting("catalogue_auto_approval")) return customer!.status;

  await Customer.change(tx, { id }, { status: "approved", version: increased("version") });
  await tx.query(
    `INSERT INTO catalogue_credit (customer_id, currency, credit_limit)
     SELECT $1, currency, $2::bigint * 10000 FROM (
       SELECT currency FROM catalogue_services UNION SELECT currency FROM catalogue_card_services
     ) sold WHERE $2 > 0 ON CONFLICT DO NOTHING`,
    [id, setting("catalogue_auto_credit")],
  );
  return "approved";
}

/**
 * Creates a key pair of an approved customer.
 * @throws FORBIDDEN when the caller isn't one, and what `createApiKey` throws
 */
export const createCustomerKey = (
  caller: UserPrincipal,
  input: { readonly name: string; readonly allowed_addresses: readonly string[] },
): Promise<NewApiKey> =>
  createApiKey(caller, input, async (tx) => {
    const isApproved = setting("catalogue_auto_approval")
      ? (await apply(tx, caller.userId)) === "approved"
      : (await Customer.read({ user_id: caller.userId, status: "approved" }, ["id"])) !== undefined;
    if (!isApproved) throw notApproved();
  });

export const notApproved = (): DomainError =>
  new DomainError("FORBIDDEN", "Only approved customers of the catalogue can do this. Apply first.");

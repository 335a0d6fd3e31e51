import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction } from "./transaction.ts";

/**
 * Writes to the audit log that an administrator was refused an operation, because of their permissions or a rule about
 * them. `operation` is its ID; `why` has the missing permission, or the message of the error.
 */
export const auditRefusal = (caller: AdminPrincipal, operation: string, why: object): Promise<void> =>
  inTransaction((tx) =>
    tx.audit(caller, { action: "access.refuse", target: { type: "operation", id: operation }, after: why }),
  );

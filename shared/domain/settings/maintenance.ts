import { DomainError } from "#shared/kernel/domain-error.ts";
import { setting } from "./settings.ts";

/** @throws MAINTENANCE while an administrator has the service in maintenance */
export function assertNotInMaintenance(): void {
  if (setting("maintenance_mode")) throw new DomainError("MAINTENANCE", undefined, { retryAfter: 60 });
}

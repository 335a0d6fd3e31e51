import { DomainError } from "#shared/kernel/domain-error.ts";
import { setting } from "./settings.ts";

/** While an administrator has the service in maintenance, people's calls end here. @throws MAINTENANCE */
export function assertNotInMaintenance(): void {
  if (setting("maintenance_mode")) throw new DomainError("MAINTENANCE", undefined, { retryAfter: 60 });
}

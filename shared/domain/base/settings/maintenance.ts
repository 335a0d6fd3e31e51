import type { Principal } from "#shared/contracts/principal.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { changeSettings } from "./change-settings.ts";
import { setting } from "./settings.ts";

/** Whether users are kept out, and what they are told; an empty message stands for the usual one. */
interface Maintenance {
  readonly enabled: boolean;
  readonly message: string;
}

/** @throws MAINTENANCE while an administrator has the service in maintenance */
export function assertNotInMaintenance(): void {
  if (!setting("maintenance_mode")) return;
  throw new DomainError("MAINTENANCE", setting("maintenance_message") || undefined, { retryAfter: 60 });
}

/** Begins or ends maintenance, in every process. */
export async function setMaintenance(principal: Principal, { enabled, message }: Maintenance): Promise<Maintenance> {
  await changeSettings(principal, { maintenance_mode: enabled, maintenance_message: message });
  return { enabled, message };
}

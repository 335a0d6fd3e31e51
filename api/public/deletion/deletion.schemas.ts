import { oneOf, time, view } from "#shared/contracts/fields.ts";
import type { PendingDeletion } from "#shared/domain/deletion/request-deletion.ts";

export const pendingDeletion = view<PendingDeletion>({
  status: oneOf("deletion_pending"),
  delete_at: time("2026-02-14T12:00:00.000Z").description("When the account is erased, unless you log in before."),
}).meta({ name: "PendingDeletion" });

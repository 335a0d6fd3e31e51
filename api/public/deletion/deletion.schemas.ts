import { object, oneOf, time } from "#shared/contracts/fields.ts";

export const pendingDeletion = object({
  status: oneOf("deletion_pending"),
  delete_at: time("2026-02-14T12:00:00.000Z").description("When the account is erased, unless you log in before."),
}).meta({ name: "PendingDeletion" });

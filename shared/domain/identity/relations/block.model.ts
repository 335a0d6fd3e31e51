import { defineModel, key, uuid } from "#shared/db/model.ts";

export const UserBlock = defineModel("user_blocks", { blocker_id: key(uuid()), blocked_id: key(uuid()) });

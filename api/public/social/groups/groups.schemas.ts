import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  extend,
  id,
  integer,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  pageQuery,
  rareId,
  withDefault,
} from "#shared/contracts/fields.ts";
import { groupInvite, groupRoles } from "#shared/contracts/views.ts";

export const groupParams = object({ id: id(exampleIds.conversation) });
export const memberParams = extend(groupParams, { userId: id(exampleIds.grace) });
export const inviteParams = extend(groupParams, { inviteId: id(exampleIds.invite) });
export const codeParams = object({ code: line(1, 64, "hVkqWm3pTzs8Jr0Q") });

export const groupName = () => line(1, 80, "Karaoke on Fridays");
export const userIds = () => Joi.array<string[]>().items(id(exampleIds.grace)).max(255);
export const picture = () => rareId().description("An upload of yours with the purpose `group`.");

export const changeGroupBody = object({
  name: optional(groupName()),
  picture_media_id: optional(nullable(picture())),
}).meta({ name: "ChangeGroupBody" });

export const membersQuery = object(pageQuery);
export const addMembersBody = object({ user_ids: userIds().min(1) }).meta({ name: "AddMembersBody" });
export const changeRoleBody = object({ role: oneOf(...groupRoles) }).meta({ name: "ChangeRoleBody" });

const daySeconds = 24 * 60 * 60;
export const createInviteBody = object({
  expires_in: withDefault(
    integer(60, 30 * daySeconds, 7 * daySeconds).description("For how long it holds, seconds."),
    7 * daySeconds,
  ),
}).meta({ name: "CreateInviteBody" });
export const inviteList = listOf(groupInvite);

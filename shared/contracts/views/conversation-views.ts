import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  count,
  flag,
  type Infer,
  id,
  limits,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
  time,
  url,
} from "#shared/contracts/fields.ts";
import { heldMark } from "./held-views.ts";
import { messageExtras, messageKinds } from "./message-views.ts";
import { userCard } from "./user-views.ts";

/** Views of conversations: between two people, and of groups. */

export const directMessage = object({
  id: id(exampleIds.directMessage),
  conversation_id: id(exampleIds.conversation),
  sender_id: id(),
  body: text(0, limits.messageLength, "Are you coming tonight?"),
  kind: optional(oneOf(...messageKinds).description("Absent in a message of text.")),
  ...messageExtras,
  sender: optional(userCard.description("In a group.")),
  mentions: optional(listOf(id(exampleIds.grace)).description("Members who are mentioned.")),
  deleted: optional(flag(true).description("The sender has deleted it: nothing is left but when it was sent.")),
  attachment_url: nullable(url()),
  read_at: nullable(time(exampleTime(exampleIds.directMessage, 25))).description(
    "When the recipient marked the message as read. Null: unread, or in a group: its members have a `read_at`.",
  ),
  created_at: time(exampleTime(exampleIds.directMessage)),
  client_id: optional(Joi.string().max(64).example("c-17")),
  held: heldMark(),
}).meta({ name: "DirectMessage" });
export type DirectMessage = Infer<typeof directMessage>;

export const groupRoles = ["owner", "admin", "member"] as const;
const groupRole = () => oneOf(...groupRoles);
export type GroupRole = (typeof groupRoles)[number];

const groupFields = {
  name: line(1, 80, "Karaoke on Fridays"),
  picture_url: nullable(url()),
  owner_id: nullable(id(exampleIds.ada)).description("Null: every member has left."),
  member_count: count(12),
};

/** A group as everyone in it sees it. */
export const groupCard = object(groupFields).meta({ name: "GroupCard" });
export type GroupCard = Infer<typeof groupCard>;

export const groupMember = object({
  user: userCard,
  role: groupRole(),
  joined_at: time(exampleTime(exampleIds.conversation)),
  read_at: nullable(time(exampleTime(exampleIds.directMessage, 25))).description(
    "Until when they have read what was sent. Null: nothing yet.",
  ),
}).meta({ name: "GroupMember" });
export type GroupMember = Infer<typeof groupMember>;

/** A change of who is in a group. */
export const memberChange = object({
  user_id: id(exampleIds.grace),
  role: nullable(groupRole()).description("Null: they aren't a member any longer."),
}).meta({ name: "MemberChange" });
export type MemberChange = Infer<typeof memberChange>;

export const groupInvite = object({
  id: id(exampleIds.invite),
  code: Joi.string().max(64).example("hVkqWm3pTzs8Jr0Q").description("Part of the link that you share."),
  created_by: id(exampleIds.ada),
  created_at: time(exampleTime(exampleIds.invite)),
  expires_at: time(exampleTime(exampleIds.invite, 604_800)),
}).meta({ name: "GroupInvite" });
export type GroupInvite = Infer<typeof groupInvite>;

export const conversation = object({
  id: id(exampleIds.conversation),
  kind: oneOf("direct", "group").description("`direct`: between two people."),
  peer: nullable(userCard).description("The other person. Null in a group."),
  group: optional(
    object({ ...groupFields, role: groupRole().description("Yours.") })
      .meta({ name: "OwnGroup" })
      .description("Absent between two people."),
  ),
  last_message: nullable(directMessage),
  unread: count(2).description("Number of messages from others that you haven't marked as read."),
  muted: flag(false).description("You get no pushes to your phone, unless a message mentions you."),
  updated_at: time(exampleTime(exampleIds.directMessage)).description(
    "When the last message was sent or, if there is none, when the conversation was created.",
  ),
}).meta({ name: "Conversation" });
export type Conversation = Infer<typeof conversation>;

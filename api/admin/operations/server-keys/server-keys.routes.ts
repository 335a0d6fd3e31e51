import { exampleIds } from "#shared/contracts/examples.ts";
import { extend, id, integer, line, object, withDefault } from "#shared/contracts/fields.ts";
import { createSchema, updateSchema } from "#shared/domain/base/managed/managed-resource.ts";
import { deleteManaged } from "#shared/domain/base/managed/write-managed.ts";
import { managedServerKeys } from "#shared/domain/operations/server-keys/managed-server-keys.ts";
import {
  createBot,
  createServerKey,
  rotateServerKey,
  updateServerKey,
} from "#shared/domain/operations/server-keys/server-keys.ts";
import { type AdminRoute, adminWrite } from "../../../http/admin-route.ts";
import { username } from "../../../public/identity/auth/auth.schemas.ts";
import { ifMatchHeader, managedReads, managedRecord, versionOf } from "../../managed-routes.ts";

const tag = "Server keys";
const permission = "server_keys.write" as const;
const params = object({ id: id(exampleIds.webhook) });
const record = managedRecord(managedServerKeys);
const withKey = extend(record, {
  key: line(1, 100, "hub_sk_3q2-7wAAEjRWeJCrze8BI0VniavN7wEjRWeJq83vASM").description("Shown only here."),
}).meta({ name: "ServerKeyShown" });
const targetOf = (call: { readonly params: { readonly id: string } }) => ({ type: "server_key", id: call.params.id });

/** Keys of the operator's own servers, and the bots that these act as. */
export const serverKeysRoutes = (): AdminRoute[] => [
  ...managedReads(managedServerKeys, tag),
  adminWrite({
    tag,
    id: "createServerKey",
    method: "post",
    path: "/server-keys",
    summary: "Create a server key",
    description:
      "Your server sends it as bearer token, and may do what the key and your own role both allow. What it does is in the audit log with the key. The key is only in this response.",
    extension: true,
    permission,
    body: createSchema(managedServerKeys).meta({ name: "CreateServerKeyBody" }),
    response: withKey,
    status: 201,
    errors: ["CONFLICT"],
    audit: { action: "server_key.create", target: () => ({ type: "server_key" }) },
    handler: ({ caller, body }) => createServerKey(caller, body),
  }),
  adminWrite({
    tag,
    id: "updateServerKey",
    method: "patch",
    path: "/server-keys/:id",
    summary: "Update a server key",
    description: "Takes effect with its next call. Only who created it may change it.",
    extension: true,
    permission,
    headers: [ifMatchHeader],
    params,
    body: updateSchema(managedServerKeys).meta({ name: "UpdateServerKeyBody" }),
    response: record,
    errors: ["CONFLICT"],
    audit: { action: "server_key.update", target: targetOf },
    handler: ({ caller, params: at, body, headers }) =>
      updateServerKey(caller, at.id, body, versionOf(headers["if-match"])),
  }),
  adminWrite({
    tag,
    id: "rotateServerKey",
    method: "post",
    path: "/server-keys/:id/rotate",
    summary: "Rotate a server key",
    description:
      "Returns another key in its place. The previous one works for some hours more; a second rotation ends that. Only who created it may rotate it.",
    extension: true,
    permission,
    params,
    body: object({
      overlap_hours: withDefault(integer(0, 168, 24).description("How long the previous key works."), 24),
    }).meta({ name: "RotateServerKeyBody" }),
    response: withKey,
    audit: { action: "server_key.rotate", target: targetOf },
    handler: ({ caller, params: at, body }) => rotateServerKey(caller, at.id, body.overlap_hours),
  }),
  adminWrite({
    tag,
    id: "deleteServerKey",
    method: "delete",
    path: "/server-keys/:id",
    summary: "Revoke a server key",
    description: "It stops working immediately, in all processes. No one acts as its bots any longer.",
    extension: true,
    permission,
    params,
    response: object({ id: id(exampleIds.webhook) }).meta({ name: "RevokedServerKey" }),
    audit: { action: "server_key.delete", target: targetOf },
    handler: async ({ caller, params: at }) => {
      await deleteManaged(caller, managedServerKeys, at.id);
      return { id: at.id };
    },
  }),
  adminWrite({
    tag,
    id: "createBot",
    method: "post",
    path: "/server-keys/:id/bots",
    summary: "Create a bot",
    description:
      "Registers a user who can't log in. With the header `Act-As` and the user's ID, your server calls operations of users as this bot, but none that move coins. Each call is in the audit log.",
    extension: true,
    permission,
    params,
    body: object({ username: username(), full_name: line(1, 80, "Quiz master") }).meta({ name: "CreateBotBody" }),
    response: object({ user_id: id(exampleIds.grace) }).meta({ name: "CreatedBot" }),
    status: 201,
    errors: ["CONFLICT", "USERNAME_TAKEN"],
    audit: { action: "server_key.create_bot", target: targetOf },
    handler: async ({ caller, params: at, body }) => ({ user_id: await createBot(caller, at.id, body) }),
  }),
];

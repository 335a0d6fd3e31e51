import type Joi from "joi";
import { object, oneOf } from "#shared/contracts/fields.ts";
import type { Permission } from "#shared/contracts/permissions.ts";
import { getManaged, listManaged, readManaged } from "#shared/domain/base/managed/managed.queries.ts";
import {
  canRetire,
  columnsOf,
  createSchema,
  filtersOf,
  idSchema,
  type ManagedRecord,
  type ManagedResource,
  type RecordId,
  recordSchema,
  updateSchema,
} from "#shared/domain/base/managed/managed-resource.ts";
import { createManaged, deleteManaged, updateManaged } from "#shared/domain/base/managed/write-managed.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import { type AdminRoute, adminRead, adminWrite } from "../http/admin-route.ts";
import { listRoute } from "./list-route.ts";

/** What all operations of a resource share. */
interface Common {
  readonly managed: ManagedResource;
  /** The plural: `gift_categories`. */
  readonly plural: string;
  readonly readPermission: Permission;
  readonly tag: string;
  readonly path: string;
  /** `GiftCategory` */
  readonly type: string;
  readonly record: ReturnType<typeof recordSchema>;
  readonly params: Joi.ObjectSchema<{ id: RecordId }>;
}

/** Returns the schema of a record, with its name in the document. */
export const managedRecord = (managed: ManagedResource) =>
  recordSchema(managed).meta({ name: `Managed${pascalCase(managed.name)}` });

function commonOf(managed: ManagedResource, tag: string): Common {
  const { as: plural, permission: readPermission } = managed.listed ?? {
    as: managed.resource,
    permission: `${managed.resource}.read` as const,
  };
  return {
    managed,
    plural,
    readPermission,
    tag,
    path: managed.path ?? `/${plural.replaceAll("_", "-")}`,
    type: pascalCase(managed.name),
    record: managedRecord(managed),
    params: object({ id: idSchema(managed) }),
  };
}

/** Returns the operations of a managed resource: list, create, get, update, delete. */
export function managedRoutes(managed: ManagedResource, tag: string): AdminRoute[] {
  const common = commonOf(managed, tag);
  return [recordsRoute(common), createRoute(common), getRoute(common), updateRoute(common), deleteRoute(common)];
}

/** Returns all but the creation, for a resource that is created by a command of its own. */
export function managedChanges(managed: ManagedResource, tag: string): AdminRoute[] {
  const common = commonOf(managed, tag);
  return [recordsRoute(common), getRoute(common), updateRoute(common), deleteRoute(common)];
}

/** Returns only the operations by which administrators read, for a resource that is written by commands of its own. */
export function managedReads(managed: ManagedResource, tag: string): AdminRoute[] {
  const common = commonOf(managed, tag);
  return [recordsRoute(common), getRoute(common)];
}

/** Returns only the operation of the list, for a resource of which more is shown one at a time. */
export const managedList = (managed: ManagedResource, tag: string): AdminRoute => recordsRoute(commonOf(managed, tag));

const recordsRoute = ({ managed, plural, readPermission, tag, path, record }: Common): AdminRoute =>
  listRoute({
    tag,
    id: `list${pascalCase(plural)}`,
    path,
    summary: `List ${managed.many}`,
    permission: readPermission,
    filters: filtersOf(managed),
    sorts: managed.sorts,
    item: record,
    list: (filter, page) => listManaged(managed, filter, page),
    download: {
      fileName: plural,
      columns: columnsOf(managed) as (keyof ManagedRecord & string)[],
      read: (filter) => readManaged(managed, filter),
    },
  });

const createRoute = ({ managed, tag, path, type, record }: Common): AdminRoute =>
  adminWrite({
    tag,
    id: `create${type}`,
    method: "post",
    path,
    summary: `Create ${managed.one}`,
    permission: `${managed.resource}.write`,
    body: createSchema(managed).meta({ name: `Create${type}Body` }),
    response: record,
    status: 201,
    errors: ["CONFLICT"],
    audit: { action: `${managed.name}.create`, target: () => ({ type: managed.name }) },
    handler: ({ caller, body }) => createManaged(caller, managed, body),
  });

const getRoute = ({ managed, readPermission, tag, path, type, params, record }: Common): AdminRoute =>
  adminRead({
    tag,
    id: `get${type}`,
    method: "get",
    path: `${path}/:id`,
    summary: `Get ${managed.one}`,
    permission: readPermission,
    params,
    response: record,
    handler: (call) => getManaged(managed, call.params.id),
  });

const updateRoute = ({ managed, tag, path, type, params, record }: Common): AdminRoute =>
  adminWrite({
    tag,
    id: `update${type}`,
    method: "patch",
    path: `${path}/:id`,
    summary: `Update ${managed.one}`,
    description:
      "Changes only the fields in the body. With `If-Match`, fails with `CONFLICT` if the record was changed since that version; `error.details` names the changed fields.",
    permission: `${managed.resource}.write`,
    headers: [ifMatchHeader],
    params,
    body: updateSchema(managed).meta({ name: `Update${type}Body` }),
    response: record,
    errors: ["CONFLICT"],
    audit: { action: `${managed.name}.update`, target: (call) => ({ type: managed.name, id: String(call.params.id) }) },
    handler: (call) =>
      updateManaged(call.caller, managed, call.params.id, call.body, {
        version: versionOf(call.headers["if-match"]),
      }),
  });

const deleteRoute = ({ managed, tag, path, type, params }: Common): AdminRoute =>
  adminWrite({
    tag,
    id: `delete${type}`,
    method: "delete",
    path: `${path}/:id`,
    summary: `Delete ${managed.one}`,
    description: canRetire(managed)
      ? "One that was ever used or sold is retired instead."
      : "Fails while it is in use.",
    permission: `${managed.resource}.write`,
    params,
    response: object({ id: idSchema(managed), outcome: oneOf("deleted", "retired") }).meta({
      name: `Deleted${type}`,
    }),
    errors: ["CONFLICT"],
    audit: { action: `${managed.name}.delete`, target: (call) => ({ type: managed.name, id: String(call.params.id) }) },
    handler: async (call) => ({
      id: call.params.id,
      outcome: await deleteManaged(call.caller, managed, call.params.id),
    }),
  });

export const ifMatchHeader = {
  name: "If-Match",
  description: "The `version` that the update is based on.",
  example: '"1"',
};

/** Reads the version of an If-Match header; undefined without one. @throws VALIDATION_ERROR */
export function versionOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const [, version] = /^"?(\d{1,9})"?$/.exec(header.trim()) ?? [];
  if (version === undefined) {
    throw invalidFields([{ field: "If-Match", text: "If-Match must be a version, such as 1" }]);
  }
  return Number(version);
}

import { exampleIds } from "#shared/contracts/examples.ts";
import type { Resource } from "#shared/contracts/permissions.ts";
import { bigint, type Column, defineModel, flag, integer, text, time, uuid } from "#shared/db/model.ts";
import type { ColumnKind, ExtensionRecords } from "#shared/extension/define.ts";
import { schemaOf } from "#shared/extension/loaded.ts";
import { type ManagedResource, managedColumns } from "./managed-resource.ts";

const columns: { readonly [Kind in ColumnKind]: () => Column } = { bigint, flag, integer, text, time, uuid };

/** Returns the description of records that an extension has in a table of its schema. */
export function managedOfExtension(extension: string, records: ExtensionRecords): ManagedResource {
  const { table, name, one, many, fields, defaults = {}, search, sorts } = records;
  const own = Object.entries(fields).map(([field, { column }]) => [field, columns[column]()] as const);
  return {
    ...{ resource: table as Resource, name, one, many, defaults, search, sorts, exampleId: exampleIds.gift },
    model: defineModel(table, { ...managedColumns, ...Object.fromEntries(own) }, schemaOf(extension)),
    fields: Object.fromEntries(Object.entries(fields).map(([field, { schema }]) => [field, schema])),
  };
}

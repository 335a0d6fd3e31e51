import Joi from "joi";
import type { Model, ModelStatic } from "sequelize";
import {
  type Fields,
  flag,
  id,
  integer,
  nullable,
  object,
  optional,
  plainTime,
  text,
  time,
  withDefault,
} from "#shared/contracts/fields.ts";
import type { Permission, Resource } from "#shared/contracts/permissions.ts";
import * as column from "#shared/db/model.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { FieldText } from "#shared/kernel/domain-error.ts";

/**
 * A kind of plain records that administrators manage. One description lists, filters, sorts, checks, writes, audits,
 * and documents them: see `api/admin/managed-routes.ts`.
 */
export interface ManagedResource {
  /** Names the permissions, and the path with `-` for `_`: `gift_categories`. */
  readonly resource: Resource;
  /** Default: `/gift-categories`. */
  readonly path?: string;
  /** Instead of the resource, where it has no permissions of its own: the plural, and what reading requires. */
  readonly listed?: { readonly as: string; readonly permission: Permission };
  /** Names audit entries and their targets: `gift_category`, `gift_category.create`. */
  readonly name: string;
  /** For texts: `a gift category`. */
  readonly one: string;
  /** For texts: `gift categories`. */
  readonly many: string;
  /** Its table has the `managedColumns`. */
  readonly model: ModelStatic<Model>;
  /** The columns that administrators write, required and without defaults. */
  readonly fields: Fields;
  /** The values of fields that a new record may leave out. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /**
   * Returns what is wrong with the values of a record together, or with what they refer to. Each is valid by itself.
   */
  readonly check?: (
    values: Readonly<Record<string, unknown>>,
  ) => FieldText | undefined | Promise<FieldText | undefined>;
  /** Step: runs with every change of a record. */
  readonly changed?: (tx: Tx) => Promise<void>;
  /** A field that administrators write and never see again. */
  readonly secret?: SecretField;
  /** Further columns that administrators see. */
  readonly shown?: Fields;
  /** The SQL of those of `shown` that aren't columns, from the row `t`. Nothing writes such a record. */
  readonly derived?: Readonly<Record<string, string>>;
  /** Text columns that `q` searches. */
  readonly search: readonly string[];
  /** Columns that lists can be filtered by, with the schemas of their query parameters. */
  readonly filters?: Fields;
  /** Filters by what follows from several columns, such as a status. */
  readonly derivedFilters?: Readonly<Record<string, DerivedFilter>>;
  /** Lists can be filtered by the time of creation: `from`, and `to`, exclusive. */
  readonly hasPeriod?: true;
  /** Columns that lists can be sorted by. The first is the default; with `-` it descends unless asked otherwise. */
  readonly sorts: readonly string[];
  /** The id of the examples: a UUID, or an integer if the table has integers. */
  readonly exampleId: RecordId;
}

interface SecretField {
  readonly name: string;
  readonly schema: Joi.AnySchema;
  /** Step: stores its value, encrypted. */
  readonly store: (tx: Tx, id: RecordId, value: unknown) => Promise<void>;
}

interface DerivedFilter {
  readonly schema: Joi.AnySchema;
  /** SQL: the condition on the row `t`, with `?` for the value. */
  readonly where: string;
}

export type RecordId = string | number;

/** A record as administrators see it. Decimals are text. */
export type ManagedRecord = Readonly<Record<string, unknown>> & { readonly id: RecordId; readonly version: number };

/** Columns of every managed table. A table whose records are never sold has no `retired_at`. */
export const managedColumns = {
  id: column.key(column.uuid()),
  version: column.defaulted(column.integer()),
  created_at: column.defaulted(column.time()),
  updated_at: column.defaulted(column.time()),
};

export const retirable = { retired_at: column.nullable(column.time()) };

/** The field for the order in which users see the records. */
export const position = () => integer(0, 1_000_000, 0).description("Lower positions are shown first.");

export const canRetire = ({ model }: Pick<ManagedResource, "model">): boolean => "retired_at" in model.getAttributes();

const integerMax = 2 ** 31 - 1;

const mapped = (fields: Fields, change: (schema: Fields[string], name: string) => Fields[string]): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, change(schema, name)]));

/** Fields of all records, if their table has the column. */
const commonColumns = ["version", "created_at", "updated_at", "retired_at"] as const;
const commonIn = ({ model }: ManagedResource): readonly string[] =>
  commonColumns.filter((name) => name in model.getAttributes());

const period: Fields = {
  from: plainTime("2026-01-01T00:00:00.000Z"),
  to: plainTime("2026-02-01T00:00:00.000Z").description("Exclusive."),
};

/** The filters of a list, with the schemas of their query parameters. */
export const filtersOf = (managed: ManagedResource): Fields => ({
  ...(managed.search.length > 0 && {
    q: text(1, 100, "rose").description(`Searches ${managed.search.join(", ")}.`),
  }),
  ...(canRetire(managed) && { retired: Joi.boolean().description("Whether it is retired.").example(false) }),
  ...managed.filters,
  ...Object.fromEntries(Object.entries(managed.derivedFilters ?? {}).map(([name, { schema }]) => [name, schema])),
  ...(managed.hasPeriod && period),
});

/** The columns of a record that administrators see. */
export const columnsOf = (managed: ManagedResource): string[] => [
  "id",
  ...Object.keys(managed.fields),
  ...Object.keys(managed.shown ?? {}),
  ...commonIn(managed),
];

/** Schema of a new record. */
export const createSchema = ({ fields, defaults, secret }: ManagedResource) =>
  object({
    ...mapped(fields, (schema, name) => (Object.hasOwn(defaults, name) ? withDefault(schema, defaults[name]) : schema)),
    ...(secret && { [secret.name]: optional(secret.schema) }),
  });

/** Schema of the changes of a record; at least one. */
export const updateSchema = (managed: ManagedResource) =>
  object({
    ...mapped(managed.fields, (schema) => optional(schema)),
    ...(managed.secret && { [managed.secret.name]: optional(managed.secret.schema) }),
    ...(canRetire(managed) && {
      retired: optional(flag(false).description("Whether it is retired: kept, but no longer available.")),
    }),
  }).min(1);

const commonFields = {
  version: integer(1, integerMax, 1).description("Rises with each change. Send it as `If-Match` with an update."),
  created_at: time("2026-01-05T09:00:00.000Z"),
  updated_at: time("2026-01-05T09:00:00.000Z"),
  retired_at: nullable(time("2026-01-31T12:00:00.000Z")),
} satisfies Record<(typeof commonColumns)[number], Joi.AnySchema>;

/** Schema of the id in a path or a response. */
export const idSchema = ({ exampleId }: Pick<ManagedResource, "exampleId">): Joi.AnySchema<RecordId> =>
  typeof exampleId === "number" ? Joi.number().integer().min(1).max(integerMax).example(exampleId) : id(exampleId);

/** Schema of a record as administrators see it. */
export const recordSchema = (managed: ManagedResource): Joi.ObjectSchema<ManagedRecord> =>
  object({
    id: idSchema(managed),
    ...managed.fields,
    ...managed.shown,
    ...Object.fromEntries(commonIn(managed).map((name) => [name, commonFields[name as keyof typeof commonFields]])),
  }) as Joi.ObjectSchema<unknown> as Joi.ObjectSchema<ManagedRecord>;

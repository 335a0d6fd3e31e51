import { Button, Group, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useApi } from "../api.ts";
import type { OperationDescription } from "../api-types.ts";
import type { Query } from "../parts/address.ts";
import { FieldInput } from "../parts/field-input.tsx";
import { Icon } from "../parts/icon.tsx";
import { labelOf, t } from "../texts.ts";
import { type Field, fieldsOf } from "./schema.ts";

/** What pages through a list instead of narrowing it. */
const notFilters = ["page", "limit", "sort", "format", "before"];

interface Props {
  readonly read: OperationDescription;
  readonly query: Query;
  readonly change: (patch: Record<string, string | undefined>) => void;
}

/** The search, the filters, and the order of a list. They are in the address of the page. */
export function Filters({ read, query, change }: Props) {
  const all = fieldsOf(useApi(), read.query);
  const filters = all.filter(({ name }) => !notFilters.includes(name) && name !== "q");
  const sort = all.find(({ name }) => name === "sort");
  const active = filters.filter(({ name }) => query[name] !== undefined);
  const [isOpen, { toggle }] = useDisclosure(active.length > 0);
  const narrow = (patch: Record<string, string | undefined>) =>
    change({ ...patch, page: undefined, before: undefined });
  if (all.length === 0) return null;

  return (
    <search className="filters" aria-label={t("list.filters")}>
      <Group gap="sm" align="flex-end">
        {all.some(({ name }) => name === "q") && <Search text={query.q ?? ""} onChange={(q) => narrow({ q })} />}
        {sort && <Order field={sort} value={query.sort} onChange={(value) => narrow({ sort: value })} />}
        {filters.length > 0 && (
          <Button
            variant={active.length > 0 ? "light" : "default"}
            leftSection={<Icon name="filter" size={16} />}
            onClick={toggle}
            aria-expanded={isOpen}
          >
            {active.length > 0 ? t("list.filters_active", { count: active.length }) : t("list.filters")}
          </Button>
        )}
        {active.length > 0 && (
          <Button
            variant="subtle"
            onClick={() => narrow(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
          >
            {t("list.reset")}
          </Button>
        )}
      </Group>
      {isOpen && (
        <div className="filter-fields">
          {filters.map((field) => (
            <Filter key={field.name} field={field} read={read} query={query} narrow={narrow} />
          ))}
        </div>
      )}
    </search>
  );
}

/** Searches a moment after the last letter. */
function Search({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const search = useDebouncedCallback((given: string) => onChange(given.trim()), 300);
  useEffect(() => setTyped(text), [text]);
  return (
    <TextInput
      type="search"
      className="search"
      label={t("list.search")}
      leftSection={<Icon name="search" size={16} />}
      value={typed}
      maxLength={100}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        search(currentTarget.value);
      }}
    />
  );
}

interface OrderProps {
  readonly field: Field;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

const Order = ({ field: { schema, values }, value, onChange }: OrderProps) => (
  <Select
    label={t("list.order")}
    data={values.map((one) => ({ value: String(one), label: orderLabel(String(one)) }))}
    value={value ?? String(schema.default ?? "")}
    onChange={(chosen) => onChange(chosen && chosen !== schema.default ? chosen : undefined)}
    allowDeselect={false}
  />
);

const orderLabel = (sort: string): string =>
  sort.startsWith("-")
    ? t("list.descending", { field: labelOf("fields", sort.slice(1)) })
    : t("list.ascending", { field: labelOf("fields", sort) });

interface FilterProps {
  readonly field: Field;
  readonly read: OperationDescription;
  readonly query: Query;
  readonly narrow: (patch: Record<string, string | undefined>) => void;
}

/** The input of a field, over the text in the address. Flags can be left open, so that they are choices here. */
function Filter({ field, read, query, narrow }: FilterProps) {
  const { name, kind, schema } = field;
  const text = query[name];
  const isFlag = kind === "flag" || kind === "bit";
  const shown: Field = {
    ...field,
    ...(isFlag && { kind: "choice", values: kind === "flag" ? [true, false] : [1, 0] }),
    // What isn't given isn't narrowed, whatever the default.
    schema: { ...schema, ...(kind === "text" && { maxLength: 100 }) },
    isRequired: false,
    isNullable: false,
  };
  const narrowLater = useDebouncedCallback((value: string) => narrow({ [name]: value }), 400);
  const [typed, setTyped] = useState(text ?? "");
  useEffect(() => setTyped(text ?? ""), [text]);
  if (kind === "line" && field.values.length === 0 && !/_(id|by)$/.test(name))
    return (
      <FieldInput
        field={shown}
        path={read.path}
        value={typed}
        onChange={(value) => {
          setTyped(String(value ?? ""));
          narrowLater(String(value ?? ""));
        }}
      />
    );
  return (
    <FieldInput
      field={shown}
      path={read.path}
      value={
        text === undefined
          ? undefined
          : kind === "number" || kind === "bit"
            ? Number(text)
            : isFlag
              ? text === "true"
              : text
      }
      onChange={(value) => narrow({ [name]: value === undefined || value === null ? undefined : String(value) })}
    />
  );
}

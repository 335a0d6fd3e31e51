import { MultiSelect, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useApi } from "../api.ts";
import type { OperationId } from "../client.ts";
import { call, useRead } from "../data.ts";
import { nameOfRecord, pathOfType } from "../resources/references.ts";
import { t } from "../texts.ts";

type Row = Readonly<Record<string, unknown>> & { readonly id: string | number };

interface Common {
  /** The kind of record, such as `user`: see `pathOfType`. */
  readonly type: string;
  readonly label: string;
  readonly description?: ReactNode;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly size?: "xs" | "sm";
}

interface Options {
  readonly data: { readonly value: string; readonly label: string }[];
  readonly onSearch: (text: string) => void;
  readonly isLoading: boolean;
}

/** Reads the records that a search finds, and the chosen ones, whose names are shown. */
function useOptions(type: string, chosen: readonly string[]): Options {
  const api = useApi();
  const path = pathOfType[type] ?? "";
  const list = api.at("get", path);
  const one = api.at("get", `${path}/:id`);
  const [search, setSearch] = useState("");
  const [q] = useDebouncedValue(search, 250);
  const finds = list?.query?.properties?.q !== undefined;

  const found = useRead(
    (list?.id ?? "") as OperationId,
    { query: { limit: 20, ...(finds && q.trim() && { q: q.trim() }) } } as never,
    { enabled: list !== undefined },
  );
  const rows = ((found.data as { readonly items?: readonly Row[] } | undefined)?.items ?? []) as readonly Row[];
  const missing = chosen.filter((id) => !rows.some((row) => String(row.id) === id));
  const read = useQueries({
    queries: missing.map((id) => ({
      queryKey: ["picked", one?.id, id],
      queryFn: () => call(one!.id as OperationId, { params: { id } } as never) as Promise<unknown>,
      enabled: one !== undefined,
      staleTime: 300_000,
    })),
  });
  const labels = new Map(rows.map((row) => [String(row.id), optionLabel(row)]));
  for (const [index, id] of missing.entries()) {
    const row = read[index]?.data as Row | undefined;
    labels.set(id, row ? optionLabel(row) : id);
  }
  return {
    data: [...labels].map(([value, label]) => ({ value, label })),
    onSearch: setSearch,
    isLoading: found.isFetching,
  };
}

/** People of the same name differ by their username or address. */
function optionLabel(row: Row): string {
  const detail = row.username ? `@${row.username}` : row.email;
  const name = nameOfRecord(row);
  return typeof detail === "string" && detail !== name ? `${name} · ${detail}` : name;
}

// What the server found needn't contain the text that was searched for.
const asFound = ({ options }: { readonly options: unknown }) => options as never;

interface ReferenceProps extends Common {
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
  readonly isClearable?: boolean;
}

/** Chooses a record by its name. */
export function ReferenceInput({ type, value, onChange, isClearable = true, ...input }: ReferenceProps) {
  const { data, onSearch, isLoading } = useOptions(type, value ? [value] : []);
  return (
    <Select
      {...input}
      data={data}
      value={value}
      onChange={onChange}
      searchable
      clearable={isClearable}
      filter={asFound}
      onSearchChange={onSearch}
      nothingFoundMessage={isLoading ? t("shell.loading") : t("form.nothing_found")}
      placeholder={t("form.search")}
      clearButtonProps={{ "aria-label": t("form.clear", { label: input.label }) }}
      comboboxProps={{ withinPortal: true }}
    />
  );
}

interface ReferencesProps extends Common {
  readonly value: readonly string[];
  readonly onChange: (ids: string[]) => void;
}

/** Chooses several records by their names. */
export function ReferencesInput({ type, value, onChange, ...input }: ReferencesProps) {
  const { data, onSearch, isLoading } = useOptions(type, value);
  return (
    <MultiSelect
      {...input}
      data={data}
      value={[...value]}
      onChange={onChange}
      searchable
      clearable
      filter={asFound}
      onSearchChange={onSearch}
      nothingFoundMessage={isLoading ? t("shell.loading") : t("form.nothing_found")}
      placeholder={t("form.search")}
      clearButtonProps={{ "aria-label": t("form.clear", { label: input.label }) }}
    />
  );
}

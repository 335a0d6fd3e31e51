import { Text } from "@mantine/core";
import { useState } from "react";
import { useParams } from "wouter";
import { useApi } from "../api.ts";
import type { OperationId } from "../client.ts";
import { useRead } from "../data.ts";
import { ActionButton } from "../parts/action.tsx";
import { useAddress } from "../parts/address.ts";
import { Failure, Loading } from "../parts/async.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { t, titleOf } from "../texts.ts";
import { Below } from "./below.tsx";
import { columnsOf, controlColumn, type Row, selectColumn } from "./columns.tsx";
import { DownloadButton } from "./download.tsx";
import { Filters } from "./filters.tsx";
import type { GenericPage } from "./pages.ts";
import { type Page, Paging } from "./paging.tsx";
import { Selection } from "./selection.tsx";

/** A list of the API: filters, rows with what can be done with each, pages, and a download. */
export function ListPage({ page }: { readonly page: GenericPage }) {
  const { read, create, actions, bulkActions } = page;
  const api = useApi();
  const [query, change] = useAddress();
  const params = useParams();
  const [selected, setSelected] = useState<readonly (string | number)[]>([]);
  const known = Object.keys(api.resolved(read.query ?? {}).properties ?? {});
  const given = Object.fromEntries(Object.entries(query).filter(([name]) => known.includes(name) && name !== "format"));
  const result = useRead(
    read.id as OperationId,
    {
      ...(read.path.includes(":id") && { params: { id: params.id } }),
      ...(known.length > 0 && { query: given }),
    } as never,
  );
  const list = listOf(result.data, given.limit);
  const isBulk = bulkActions.length > 0;

  return (
    <>
      <PageTitle
        title={titleOf(read.path)}
        {...(list?.total !== undefined && { lead: t("list.total", { count: list.total }) })}
        actions={
          <>
            {read.csv && <DownloadButton operation={read} query={given} />}
            <Below page={page} />
            {actions.map(({ id }) => (
              <ActionButton key={id} operation={id} />
            ))}
            {create && <ActionButton operation={create.id} variant="filled" />}
          </>
        }
      />
      <Filters read={read} query={query} change={change} />
      {result.error && <Failure error={result.error} onRetry={result.refetch} />}
      {!result.error && !list && <Loading />}
      {!result.error && list && (
        <>
          {selected.length > 0 && <Selection page={page} selected={selected} onClear={() => setSelected([])} />}
          {list.items.length === 0 ? (
            <Text c="dimmed" py="xl" ta="center">
              {Object.keys(given).length > 0 ? t("list.nothing_matches") : t("list.empty")}
            </Text>
          ) : (
            <DataTable
              label={titleOf(read.path)}
              columns={[
                ...(isBulk ? [selectColumn(selected, setSelected)] : []),
                ...columnsOf(api, page, query.sort, (sort) => change({ sort, page: undefined })),
                controlColumn(page),
              ]}
              rows={list.items}
              keyOf={({ id }) => id}
            />
          )}
          <Paging list={list} query={query} change={change} />
        </>
      )}
    </>
  );
}

/** Some lists are paged by number, some by cursor, and some are short and whole. */
function listOf(data: unknown, limit: string | undefined): Page | undefined {
  if (data === undefined) return undefined;
  if (!Array.isArray(data)) return data as Page;
  // What has neither `id` nor `key` is told apart by its place.
  const items = data.map((item: object, index) => ({ id: (item as { key?: string }).key ?? index, ...item })) as Row[];
  const last = items.at(-1);
  return { items, ...(last && items.length >= Number(limit ?? 20) && { next_before: String(last.id) }) };
}

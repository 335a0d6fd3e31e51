import { Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useAddress } from "../admin/parts/address.ts";
import { Async } from "../admin/parts/async.tsx";
import { type Column, DataTable } from "../admin/parts/data-table.tsx";
import { Paging } from "../admin/resources/paging.tsx";
import { labelOf, t } from "../admin/texts.ts";

interface Page<Row> {
  readonly items: readonly Row[];
  readonly page: number;
  readonly total_pages: number;
}

/** Returns the query of the list's page that the address names. */
export function usePage(): { readonly query: { readonly page: number; readonly limit: number } } {
  const [{ page }] = useAddress();
  return { query: { page: Math.max(1, Math.floor(Number(page)) || 1), limit: 20 } };
}

interface PagedProps<Row> {
  readonly of: UseQueryResult<Page<Row>, Error>;
  /** What is said instead of an empty list. */
  readonly empty: string;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** A page of a list, and the way to the others. */
export function Paged<Row>({ of, empty, children }: PagedProps<Row>) {
  const [query, change] = useAddress();
  return (
    <Async of={of}>
      {(list) => (
        <>
          {list.items.length === 0 ? (
            <Text c="dimmed" py="md" size="sm">
              {empty}
            </Text>
          ) : (
            children(list.items)
          )}
          <Paging list={list} query={query} change={change} />
        </>
      )}
    </Async>
  );
}

interface ListProps<Row> extends Omit<PagedProps<Row>, "children"> {
  readonly label: string;
  readonly keyOf: (row: Row) => string;
  /** The cells of a row, by the console's names of the fields. */
  readonly cells: Readonly<Record<string, (row: Row) => ReactNode>>;
  /** Of cells that aren't named as the console names the field. */
  readonly headings?: Readonly<Record<string, string>>;
  /** What can be done with a row. */
  readonly actions?: (row: Row) => ReactNode;
}

/** A page of a list as a table. */
export function List<Row>({ label, keyOf, cells, headings = {}, actions, ...paged }: ListProps<Row>) {
  const columns = Object.entries(cells).map(([name, cell]): Column<Row> => {
    return { name, label: headings[name] ?? labelOf("fields", name), cell };
  });
  const controls: Column<Row>[] = actions
    ? [{ name: "actions", label: t("list.actions"), isControl: true, cell: actions }]
    : [];
  return (
    <Paged {...paged}>
      {(rows) => <DataTable label={label} columns={[...columns, ...controls]} rows={rows} keyOf={keyOf} />}
    </Paged>
  );
}

import { Paper, Table, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { ReactNode } from "react";
import { t } from "../texts.ts";
import { Icon } from "./icon.tsx";

export interface Column<Row> {
  readonly name: string;
  readonly label: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Which way the rows are sorted by it; `none`: they can be. */
  readonly sorted?: "ascending" | "descending" | "none";
  readonly onSort?: () => void;
  /** At the end of the row, without a heading in cards. */
  readonly isControl?: boolean;
}

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}

/** Rows in a table that scrolls within itself; on a phone, one card each. */
export function DataTable<Row>({ label, columns, rows, keyOf }: Props<Row>) {
  const isSmall = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  if (isSmall)
    return (
      <ul className="cards" aria-label={label}>
        {rows.map((row) => (
          <Paper component="li" withBorder p="sm" key={keyOf(row)}>
            <dl className="facts">
              {columns
                .filter(({ isControl }) => !isControl)
                .map(({ name, label: heading, cell }) => (
                  <div key={name}>
                    <dt>{heading}</dt>
                    <dd>{cell(row)}</dd>
                  </div>
                ))}
            </dl>
            <div className="card-controls">
              {columns
                .filter(({ isControl }) => isControl)
                .map(({ name, cell }) => (
                  <span key={name}>{cell(row)}</span>
                ))}
            </div>
          </Paper>
        ))}
      </ul>
    );
  return (
    <Paper withBorder className="table">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard. */}
      <section className="scrolling" aria-label={label} tabIndex={0}>
        <Table highlightOnHover verticalSpacing="xs" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column.name} aria-sort={column.sorted} scope="col">
                  <Heading of={column} />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={keyOf(row)}>
                {columns.map(({ name, cell }) => (
                  <Table.Td key={name}>{cell(row)}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </Paper>
  );
}

function Heading<Row>({ of: { label, sorted, onSort } }: { readonly of: Column<Row> }) {
  if (!onSort) return label;
  return (
    <UnstyledButton onClick={onSort} className="sort" title={t("list.sort")}>
      {label}
      {sorted && sorted !== "none" && <Icon name={sorted === "ascending" ? "up" : "down"} size={14} />}
    </UnstyledButton>
  );
}

import { ActionIcon, Checkbox, Group, Menu } from "@mantine/core";
import { useState } from "react";
import { useCan } from "../account.tsx";
import type { Api } from "../api.ts";
import type { OperationDescription } from "../api-types.ts";
import { ActionDialog, isDirect, runAction } from "../parts/action.tsx";
import type { Column } from "../parts/data-table.tsx";
import { Icon } from "../parts/icon.tsx";
import { pictureOf } from "../parts/picture.tsx";
import { Value } from "../parts/value.tsx";
import { labelOf, summaryOf, t } from "../texts.ts";
import type { GenericPage } from "./pages.ts";
import { RecordLink } from "./record-link.tsx";
import { nameFieldOf, nameOfRecord } from "./references.ts";
import { isDestructive, isOffered } from "./rules.ts";
import { type Field, fieldsOf, itemsOf } from "./schema.ts";

export type Row = Readonly<Record<string, unknown>> & { readonly id: string | number };

const hidden = new Set(["version", "updated_at", "hash", "request_id", "user_agent"]);
const columnMax = 7;

/** Returns the columns of a table: the name and the status first, then what tells most in little space. */
export function columnsOf(
  api: Api,
  { read, path }: GenericPage,
  sort: string | undefined,
  onSort: (sort: string) => void,
) {
  const schema = itemsOf(api, read.data);
  const fields = fieldsOf(api, schema);
  const name = nameFieldOf(fields);
  const isColumn = ({ name: own, kind }: Field) =>
    own !== name && own !== "id" && !hidden.has(own) && !["url", "text", "record", "records", "json"].includes(kind);
  const first = [name, "status"];
  const ordered = [
    ...fields
      .filter((field) => first.includes(field.name))
      .sort((one, other) => first.indexOf(one.name) - first.indexOf(other.name)),
    ...fields.filter((field) => isColumn(field) && field.name !== "status"),
  ].slice(0, columnMax);
  const sorts = fieldsOf(api, read.query).find((field) => field.name === "sort");
  const current = sort ?? String(sorts?.schema.default ?? "");

  return ordered.map((field): Column<Row> => {
    const isSortable = sorts?.values.includes(field.name) ?? false;
    const sorted = current === field.name ? "ascending" : current === `-${field.name}` ? "descending" : "none";
    return {
      name: field.name,
      label: labelOf("fields", field.name),
      cell: (row) =>
        field.name === name ? (
          <Group gap="xs" wrap="nowrap">
            <RowPicture url={pictureOf(row)} />
            <RecordLink path={path} record={row} />
          </Group>
        ) : (
          <Value field={field} value={row[field.name]} record={row} path={path} isShort />
        ),
      ...(isSortable && {
        sorted,
        onSort: () => onSort(sorted === "descending" ? field.name : `-${field.name}`),
      }),
    };
  });
}

/** Beside a name, which says what it shows. */
const RowPicture = ({ url }: { readonly url: string | undefined }) =>
  url && <img className="thumbnail" src={url} alt="" loading="lazy" />;

export function selectColumn(
  selected: readonly (string | number)[],
  setSelected: (ids: readonly (string | number)[]) => void,
): Column<Row> {
  return {
    name: "select",
    label: t("list.select"),
    isControl: true,
    cell: (row) => (
      <Checkbox
        aria-label={t("list.select_one", { name: nameOfRecord(row) })}
        checked={selected.includes(row.id)}
        onChange={({ currentTarget }) =>
          setSelected(currentTarget.checked ? [...selected, row.id] : selected.filter((id) => id !== row.id))
        }
      />
    ),
  };
}

export const controlColumn = ({ rowActions }: GenericPage): Column<Row> => ({
  name: "actions",
  label: t("list.actions"),
  isControl: true,
  cell: (row) => <RowMenu row={row} operations={rowActions} />,
});

/** What can be done with a row. */
function RowMenu({ row, operations }: { readonly row: Row; readonly operations: readonly OperationDescription[] }) {
  const can = useCan();
  const [chosen, setChosen] = useState<OperationDescription>();
  const here = operations.filter(({ id, permission }) => can(permission) && isOffered(id, row));
  if (here.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t("list.actions_of", { name: nameOfRecord(row) })}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {here.map((operation) => (
            <Menu.Item
              key={operation.id}
              onClick={() => (isDirect(operation) ? void runAction(operation, row.id) : setChosen(operation))}
              {...(isDestructive(operation.id) && { color: "red" })}
            >
              {summaryOf(operation)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {chosen && <ActionDialog operation={chosen} id={row.id} record={row} onClose={() => setChosen(undefined)} />}
    </>
  );
}

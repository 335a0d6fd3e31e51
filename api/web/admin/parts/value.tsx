import { Anchor, Code, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { nameOfRecord, typeOfField } from "../resources/references.ts";
import type { Field } from "../resources/schema.ts";
import { labelOf } from "../texts.ts";
import { DataTable } from "./data-table.tsx";
import { formatDate, formatMoney, formatNumber, formatTime, isMoney } from "./format.ts";
import { Named } from "./named.tsx";
import { isPicture, Picture } from "./picture.tsx";
import { None, Status, YesNo } from "./status.tsx";
import { textOfField } from "./words.ts";

type Row = Readonly<Record<string, unknown>>;

interface ValueProps {
  readonly field: Field;
  readonly value: unknown;
  /** Whose value it is. */
  readonly record: Row;
  /** Of the page, which says what a reference refers to. */
  readonly path: string;
  /** In a table, where there is little space. */
  readonly isShort?: boolean;
}

/** A value as people read it: a name instead of an ID, a time of their zone, money in its currency. */
export function Value({ field, value, record, path, isShort = false }: ValueProps): ReactNode {
  if (value === null || value === undefined || value === "") return <None />;
  const { name, kind } = field;
  const type = typeOfField(name, path, record);
  if (type && !Array.isArray(value)) return <Named type={type} id={value as string | number} />;
  switch (kind) {
    case "flag":
      return <YesNo value={value === true} />;
    case "bit":
      return <YesNo value={value === 1} />;
    case "choice":
      return <Status value={String(value)} />;
    case "choices":
    case "lines":
      return <Several name={name} type={type} values={value as readonly unknown[]} isShort={isShort} />;
    case "number":
      return <Num name={name} value={value as number} record={record} />;
    case "time":
      return <time dateTime={String(value)}>{formatTime(String(value))}</time>;
    case "date":
      return <time dateTime={String(value)}>{formatDate(String(value))}</time>;
    case "url":
      return <Url url={String(value)} />;
    case "record":
      if (isShort) return nameOfRecord(value as Row);
      return <Facts fields={field.fields} record={withCurrency(value as Row, record)} path={path} />;
    case "records":
      return isShort ? (
        formatNumber((value as unknown[]).length)
      ) : (
        <Records field={field} rows={(value as Row[]).map((row) => withCurrency(row, record))} path={path} />
      );
    case "json":
      return <Json value={value} isShort={isShort} />;
    default:
      return <Words text={textOfField(name, String(value))} name={name} isShort={isShort} />;
  }
}

const Several = ({
  name,
  values,
  type,
  isShort,
}: {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly type: string | undefined;
  readonly isShort: boolean;
}) => {
  const shown = isShort ? values.slice(0, 2) : values;
  if (values.length === 0) return <None />;
  return (
    <Group gap={4}>
      {shown.map((one) =>
        type ? (
          <Named key={String(one)} type={type} id={String(one)} />
        ) : (
          <span key={String(one)} className="tag">
            {textOfField(name, String(one))}
          </span>
        ),
      )}
      {shown.length < values.length && <Text span size="sm">{`+${values.length - shown.length}`}</Text>}
    </Group>
  );
};

/** Returns a record that is part of another, such as a payment of an order, with the currency of both. */
const withCurrency = (row: Row, { currency }: Row): Row => (currency === undefined ? row : { currency, ...row });

const Num = ({ name, value, record }: { readonly name: string; readonly value: number; readonly record: Row }) => (
  <span className="number">
    {isMoney(name, record)
      ? formatMoney(value, record.currency as string)
      : name === "id"
        ? value
        : formatNumber(value)}
  </span>
);

const Url = ({ url }: { readonly url: string }) =>
  isPicture(url) ? (
    <Picture url={url} />
  ) : (
    <Anchor href={url} target="_blank" rel="noreferrer" size="sm" className="long">
      {url.replace(/^https?:\/\//, "")}
    </Anchor>
  );

const shortMax = 80;

const Words = ({
  text,
  name,
  isShort,
}: {
  readonly text: string;
  readonly name: string;
  readonly isShort: boolean;
}) => {
  if (/(^|_)(id|hash)$/.test(name)) return <Code className="long">{isShort ? text.slice(0, 8) : text}</Code>;
  return <bdi className="long">{isShort && text.length > shortMax ? `${text.slice(0, shortMax)}…` : text}</bdi>;
};

const Json = ({ value, isShort }: { readonly value: unknown; readonly isShort: boolean }) =>
  isShort ? (
    <Code className="long">{JSON.stringify(value).slice(0, shortMax)}</Code>
  ) : (
    <Code block tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </Code>
  );

interface FactsProps {
  readonly fields: readonly Field[];
  readonly record: Row;
  readonly path: string;
}

/** The fields of a record with their values. */
export const Facts = ({ fields, record, path }: FactsProps) => (
  <dl className="facts">
    {fields.map((field) => (
      <div key={field.name}>
        <dt>{labelOf("fields", field.name)}</dt>
        <dd>
          <Value field={field} value={record[field.name]} record={record} path={path} />
        </dd>
      </div>
    ))}
  </dl>
);

/** Records of few plain fields are a table, others one block each. */
const Records = ({ field, rows, path }: RecordsProps) => {
  if (rows.length === 0) return <None />;
  const keyed = rows.map((row, index) => ({ row, key: String(row.id ?? index) }));
  const label = labelOf("fields", field.name);
  if (field.fields.every(({ kind }) => !["records", "json", "text"].includes(kind)) && field.fields.length <= 8)
    return (
      <DataTable<(typeof keyed)[number]>
        label={label}
        rows={keyed}
        keyOf={({ key }) => key}
        columns={field.fields.map((one) => ({
          name: one.name,
          label: labelOf("fields", one.name),
          cell: ({ row }) => <Value field={one} value={row[one.name]} record={row} path={path} isShort />,
        }))}
      />
    );
  return (
    <ul className="records">
      {keyed.map(({ row, key }) => (
        <li key={key}>
          <Facts fields={field.fields} record={row} path={path} />
        </li>
      ))}
    </ul>
  );
};

interface RecordsProps {
  readonly field: Field;
  readonly rows: readonly Row[];
  readonly path: string;
}

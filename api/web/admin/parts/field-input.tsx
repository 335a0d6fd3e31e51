import {
  Checkbox,
  Fieldset,
  Group,
  JsonInput,
  MultiSelect,
  NumberInput,
  PasswordInput,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from "@mantine/core";
import { type ReactNode, useState } from "react";
import { typeOfField } from "../resources/references.ts";
import type { Field, Kind } from "../resources/schema.ts";
import { descriptionOf, labelOf, t } from "../texts.ts";
import { PermissionsInput } from "./permissions-input.tsx";
import { PictureInput } from "./picture-input.tsx";
import { RecordsInput } from "./records-input.tsx";
import { ReferenceInput, ReferencesInput } from "./reference-input.tsx";
import { fromLocalInput, toLocalInput } from "./times.ts";
import { wordFor } from "./words.ts";

export interface InputProps {
  readonly field: Field;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Of the page, which says what a reference refers to. */
  readonly path: string;
  /** What is wrong with it. */
  readonly error?: string | undefined;
  /** Whose field it is. */
  readonly record?: Readonly<Record<string, unknown>> | undefined;
}

interface Labels {
  readonly label: string;
  readonly description?: ReactNode;
  readonly error?: string | undefined;
  readonly required: boolean;
}

/** What the input of a kind gets. */
interface KindProps extends InputProps {
  readonly labels: Labels;
  /** Its value when nothing is chosen. */
  readonly empty: null | undefined;
}

/** The input of a field, made from its schema. Its value is undefined as long as it is empty. */
export function FieldInput(props: InputProps) {
  const { name, kind, schema, isRequired, isNullable } = props.field;
  const { value, onChange } = props;
  const labels = {
    label: labelOf("fields", name),
    description: schema.description && <bdi>{descriptionOf(schema.description)}</bdi>,
    error: props.error,
    required: isRequired,
  };
  const empty = isNullable ? null : undefined;
  const type = typeOfField(name, props.path, props.record);
  if (type && (kind === "line" || kind === "number"))
    return (
      <ReferenceInput
        {...labels}
        type={type}
        value={value === undefined || value === null ? null : String(value)}
        onChange={(id) => onChange(id === null ? empty : kind === "number" ? Number(id) : id)}
      />
    );
  if (type && kind === "lines")
    return (
      <ReferencesInput {...labels} type={type} value={(value as string[] | undefined) ?? []} onChange={onChange} />
    );
  return inputs[kind]({ ...props, labels, empty });
}

const LineInput = ({ field, value, onChange, labels }: KindProps) => (
  <TextInput
    {...labels}
    type={field.kind === "date" ? "date" : "text"}
    {...(field.schema.maxLength !== undefined && { maxLength: field.schema.maxLength })}
    value={(value as string | null | undefined) ?? ""}
    onChange={({ currentTarget }) => onChange(textOf(currentTarget.value, field))}
  />
);

const choicesOf = ({ name, values }: Field) =>
  values.map((one) => ({ value: String(one), label: wordFor(name, String(one)) }));
const clearLabel = ({ label }: Labels) => ({ "aria-label": t("form.clear", { label }) });

/** The input of each kind of field. */
const inputs: Readonly<Record<Kind, (props: KindProps) => ReactNode>> = {
  flag: ({ field: { values }, value, onChange, labels }) =>
    values.length === 1 ? (
      <OnlyChoice {...labels} value={value} only={values[0]} onChange={onChange} />
    ) : (
      <Switch
        {...labels}
        required={false}
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    ),
  bit: ({ value, onChange, labels }) => (
    <Switch
      {...labels}
      required={false}
      checked={value === 1}
      onChange={({ currentTarget }) => onChange(currentTarget.checked ? 1 : 0)}
    />
  ),
  choice: ({ field, value, onChange, labels, empty }) => (
    <Select
      {...labels}
      data={choicesOf(field)}
      value={value === undefined || value === null ? null : String(value)}
      onChange={(chosen) => onChange(field.values.find((one) => String(one) === chosen) ?? empty)}
      clearable={!field.isRequired}
      clearButtonProps={clearLabel(labels)}
    />
  ),
  choices: ({ field, value, onChange, labels }) =>
    field.name === "permissions" ? (
      <PermissionsInput
        {...labels}
        values={field.values.map(String)}
        value={(value as string[]) ?? []}
        onChange={onChange}
      />
    ) : (
      <MultiSelect
        {...labels}
        data={choicesOf(field)}
        value={(value as string[] | undefined) ?? []}
        onChange={onChange}
        searchable
        clearable
        clearButtonProps={clearLabel(labels)}
      />
    ),
  number: ({ field: { schema }, value, onChange, labels, empty }) => (
    <NumberInput
      {...labels}
      value={(value as number | null | undefined) ?? ""}
      onChange={(given) => onChange(given === "" ? empty : Number(given))}
      {...(schema.minimum !== undefined && { min: schema.minimum })}
      {...(schema.maximum !== undefined && { max: schema.maximum })}
      allowDecimal={schema.type === "number"}
      clampBehavior="none"
      thousandSeparator=" "
      hideControls
    />
  ),
  time: ({ value, onChange, labels, empty }) => (
    <TextInput
      {...labels}
      type="datetime-local"
      value={toLocalInput(value)}
      onChange={({ currentTarget }) => onChange(fromLocalInput(currentTarget.value) || empty)}
    />
  ),
  lines: ({ value, onChange, labels }) => (
    <TagsInput {...labels} value={(value as string[] | undefined) ?? []} onChange={onChange} />
  ),
  record: ({ labels: _labels, empty: _empty, ...props }) => <RecordInput {...props} />,
  records: ({ labels: _labels, empty: _empty, ...props }) => <RecordsInput {...props} input={FieldInput} />,
  json: ({ field: { isNullable }, value, onChange, labels }) => (
    <ObjectInput {...labels} value={value} onChange={onChange} isNullable={isNullable} />
  ),
  password: ({ value, onChange, labels }) => (
    <PasswordInput
      {...labels}
      autoComplete="new-password"
      value={(value as string | undefined) ?? ""}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  ),
  text: ({ field, value, onChange, labels }) => (
    <Textarea
      {...labels}
      autosize
      minRows={3}
      maxRows={12}
      {...(field.schema.maxLength !== undefined && { maxLength: field.schema.maxLength })}
      value={(value as string | null | undefined) ?? ""}
      onChange={({ currentTarget }) => onChange(textOf(currentTarget.value, field))}
    />
  ),
  line: LineInput,
  date: LineInput,
  url: ({ field, value, onChange, path, labels }) => (
    <PictureInput
      {...labels}
      field={field.name}
      path={path}
      value={(value as string | null | undefined) ?? ""}
      onAddress={(address) => onChange(textOf(address, field))}
    />
  ),
};

/** An empty text is a value if the schema allows it. */
const textOf = (text: string, { isNullable, schema }: Field): string | null | undefined =>
  text === "" ? (isNullable ? null : schema.minLength || schema.pattern ? undefined : "") : text;

interface OnlyChoiceProps extends Labels {
  readonly value: unknown;
  readonly only: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A field that takes a single value, such as a second factor that can be turned off alone. */
const OnlyChoice = ({ value, only, onChange, required: _required, ...labels }: OnlyChoiceProps) => (
  <Checkbox
    {...labels}
    label={`${labels.label}: ${labelOf("values", String(only))}`}
    checked={value === only}
    onChange={({ currentTarget }) => onChange(currentTarget.checked ? only : undefined)}
  />
);

/** The fields of an object within another. */
type Values = Readonly<Record<string, unknown>>;

const isEmpty = (values: Values): boolean =>
  Object.values(values).every((one) => one === undefined || one === null || `${one}` === "");

/** One that may be null is null while all of its fields are empty: then none of them is required. */
const RecordInput = ({ field, value, onChange, path, record }: InputProps) => {
  const values = (value ?? {}) as Values;
  const isNull = (given: Values) => field.isNullable && isEmpty(given);
  const change = (given: Values) => onChange(isNull(given) ? null : given);
  return (
    <Fieldset legend={labelOf("fields", field.name)}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {field.fields.map((one) => (
          <FieldInput
            key={one.name}
            field={isNull(values) ? { ...one, isRequired: false } : one}
            value={values[one.name]}
            onChange={(given) => change({ ...values, [one.name]: given })}
            path={path}
            record={record}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
};

interface ObjectInputProps extends Labels {
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly isNullable: boolean;
}

/** An object of any shape, as JSON. */
function ObjectInput({ value, onChange, isNullable, ...labels }: ObjectInputProps) {
  const [text, setText] = useState(() => (value === undefined || value === null ? "" : JSON.stringify(value, null, 2)));
  return (
    <Group grow>
      <JsonInput
        {...labels}
        value={text}
        onChange={(given) => {
          setText(given);
          onChange(given.trim() === "" ? (isNullable ? null : undefined) : parsed(given));
        }}
        validationError={t("form.no_json")}
        autosize
        minRows={3}
        maxRows={12}
      />
    </Group>
  );
}

/** What can't be read yet stays a text, which the server rejects. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

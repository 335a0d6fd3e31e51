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
import type { Field } from "../resources/schema.ts";
import { descriptionOf, labelOf, t } from "../texts.ts";
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

/** The input of a field, made from its schema. Its value is undefined as long as it is empty. */
export function FieldInput({ field, value, onChange, path, error, record }: InputProps) {
  const { name, kind, schema, isRequired, isNullable, values } = field;
  const common = {
    label: labelOf("fields", name),
    description: schema.description && <bdi>{descriptionOf(schema.description)}</bdi>,
    error,
    required: isRequired,
  };
  const empty = isNullable ? null : undefined;
  const type = typeOfField(name, path, record);
  if (type && (kind === "line" || kind === "number"))
    return (
      <ReferenceInput
        {...common}
        type={type}
        value={value === undefined || value === null ? null : String(value)}
        onChange={(id) => onChange(id === null ? empty : kind === "number" ? Number(id) : id)}
      />
    );
  if (type && kind === "lines")
    return (
      <ReferencesInput {...common} type={type} value={(value as string[] | undefined) ?? []} onChange={onChange} />
    );

  switch (kind) {
    case "flag":
      if (values.length === 1) return <OnlyChoice {...common} value={value} only={values[0]} onChange={onChange} />;
      return (
        <Switch
          {...common}
          required={false}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case "bit":
      return (
        <Switch
          {...common}
          required={false}
          checked={value === 1}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? 1 : 0)}
        />
      );
    case "choice":
      return (
        <Select
          {...common}
          data={values.map((one) => ({ value: String(one), label: wordFor(name, String(one)) }))}
          value={value === undefined || value === null ? null : String(value)}
          onChange={(chosen) => onChange(values.find((one) => String(one) === chosen) ?? empty)}
          clearable={!isRequired}
          clearButtonProps={{ "aria-label": t("form.clear", { label: common.label }) }}
        />
      );
    case "choices":
      return (
        <MultiSelect
          {...common}
          data={values.map((one) => ({ value: String(one), label: wordFor(name, String(one)) }))}
          value={(value as string[] | undefined) ?? []}
          onChange={onChange}
          searchable
          clearable
          clearButtonProps={{ "aria-label": t("form.clear", { label: common.label }) }}
        />
      );
    case "number":
      return (
        <NumberInput
          {...common}
          value={(value as number | null | undefined) ?? ""}
          onChange={(given) => onChange(given === "" ? empty : Number(given))}
          {...(schema.minimum !== undefined && { min: schema.minimum })}
          {...(schema.maximum !== undefined && { max: schema.maximum })}
          allowDecimal={schema.type === "number"}
          clampBehavior="none"
          thousandSeparator=" "
          hideControls
        />
      );
    case "time":
      return (
        <TextInput
          {...common}
          type="datetime-local"
          value={toLocalInput(value)}
          onChange={({ currentTarget }) => onChange(fromLocalInput(currentTarget.value) || empty)}
        />
      );
    case "lines":
      return <TagsInput {...common} value={(value as string[] | undefined) ?? []} onChange={onChange} />;
    case "record":
      return <RecordInput field={field} value={value} onChange={onChange} path={path} record={record} />;
    case "records":
      return <RecordsInput field={field} value={value} onChange={onChange} path={path} error={error} />;
    case "json":
      return <ObjectInput {...common} value={value} onChange={onChange} isNullable={isNullable} />;
    case "password":
      return (
        <PasswordInput
          {...common}
          autoComplete="new-password"
          value={(value as string | undefined) ?? ""}
          onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        />
      );
    case "text":
      return (
        <Textarea
          {...common}
          autosize
          minRows={3}
          maxRows={12}
          {...(schema.maxLength !== undefined && { maxLength: schema.maxLength })}
          value={(value as string | null | undefined) ?? ""}
          onChange={({ currentTarget }) => onChange(textOf(currentTarget.value, field))}
        />
      );
    default:
      return (
        <TextInput
          {...common}
          type={kind === "date" ? "date" : kind === "url" ? "url" : "text"}
          {...(schema.maxLength !== undefined && { maxLength: schema.maxLength })}
          value={(value as string | null | undefined) ?? ""}
          onChange={({ currentTarget }) => onChange(textOf(currentTarget.value, field))}
        />
      );
  }
}

/** An empty text is a value if the schema allows it. */
const textOf = (text: string, { isNullable, schema }: Field): string | null | undefined =>
  text === "" ? (isNullable ? null : schema.minLength || schema.pattern ? undefined : "") : text;

interface Labels {
  readonly label: string;
  readonly description?: ReactNode;
  readonly error?: string | undefined;
  readonly required: boolean;
}

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
const RecordInput = ({ field, value, onChange, path, record }: InputProps) => {
  const values = (value ?? {}) as Readonly<Record<string, unknown>>;
  return (
    <Fieldset legend={labelOf("fields", field.name)}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {field.fields.map((one) => (
          <FieldInput
            key={one.name}
            field={one}
            value={values[one.name]}
            onChange={(given) => onChange({ ...values, [one.name]: given })}
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

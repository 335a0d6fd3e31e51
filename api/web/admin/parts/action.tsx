import { Alert, Button, type ButtonProps, Code, Group, Modal, Stack } from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useCan } from "../account.tsx";
import { useApi } from "../api.ts";
import type { OperationDescription } from "../api-types.ts";
import type { OperationId } from "../client.ts";
import { call, fieldErrors, queries, useWrite } from "../data.ts";
import { nameOfRecord } from "../resources/references.ts";
import { isDestructive, isHarmless, isOffered, sentencesFor } from "../resources/rules.ts";
import { type Field, fieldsOf } from "../resources/schema.ts";
import { consequenceTextOf, summaryOf, t } from "../texts.ts";
import { FieldInput } from "./field-input.tsx";
import { RefundEffect } from "./refund-effect.tsx";
import { toast } from "./toast.ts";

type Values = Readonly<Record<string, unknown>>;

export interface Target {
  readonly operation: OperationId | (string & {});
  /** The record's ID, if the operation has one in its path. */
  readonly id?: string | number | undefined;
  /** What the record is like now: an update begins with it, and sends what was changed. */
  readonly record?: Values | undefined;
  /** Values that the form doesn't ask for, such as the IDs of the selected records. */
  readonly preset?: Values | undefined;
  readonly onDone?: ((data: unknown) => void) | undefined;
}

/** Runs an operation that asks for nothing. */
export async function runAction(operation: OperationDescription, id: string | number | undefined): Promise<void> {
  try {
    const data = await call(operation.id as OperationId, { ...(id !== undefined && { params: { id } }) } as never);
    toast.done(doneText(operation, data));
    await queries.invalidateQueries();
  } catch (error) {
    toast.failed(error as Error);
  }
}

/** Whether an operation needs no more than a click. */
export const isDirect = ({ id, body }: OperationDescription): boolean => isHarmless(id) && !body;

interface ActionButtonProps extends Target, Pick<ButtonProps, "variant" | "size" | "color"> {
  readonly label?: string;
}

/** A button for an operation of the admin API; nothing without its permission, or where it makes no sense. */
export function ActionButton({ label, variant = "default", size = "sm", color, ...target }: ActionButtonProps) {
  const can = useCan();
  const operation = useApi().operation(target.operation);
  const [isOpen, { open, close }] = useDisclosure(false);
  if (!can(operation.permission) || !isOffered(operation.id, target.record ?? {})) return null;
  const isRed = isDestructive(operation.id) && variant === "default";
  return (
    <>
      <Button
        variant={isRed ? "light" : variant}
        size={size}
        {...(color ? { color } : isRed ? { color: "red" } : {})}
        onClick={isDirect(operation) ? () => void runAction(operation, target.id) : open}
        data-operation={operation.id}
      >
        {label ?? summaryOf(operation)}
      </Button>
      {isOpen && <ActionDialog {...target} operation={operation} onClose={close} />}
    </>
  );
}

interface DialogProps extends Omit<Target, "operation"> {
  readonly operation: OperationDescription;
  readonly onClose: () => void;
}

/** Says what an operation will do, asks for its input, and does it. */
export function ActionDialog({ operation, id, record, preset, onClose, onDone }: DialogProps) {
  const api = useApi();
  const isUpdate = operation.method === "patch" || operation.method === "put";
  const fields = fieldsOf(api, operation.body).filter(({ name }) => preset?.[name] === undefined);
  const [values, setValues] = useState<Values>(() => (isUpdate ? kept(fields, record) : defaultsOf(fields)));
  const [problem, setProblem] = useState<Error>();
  /** A secret that the response has, and no other one will. */
  const [secret, setSecret] = useState<string>();
  const isSmall = useMediaQuery("(max-width: 40em)");
  /** False when the administrator has closed the dialog, and may be in another. */
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const write = useWrite(operation.id as OperationId, { onError: setProblem });
  const errors = fieldErrors(problem);
  const isRed = isDestructive(operation.id);
  const consequence = consequenceOf(operation, record);

  const send = (event: FormEvent) => {
    event.preventDefault();
    const given = operation.method === "patch" ? changed(values, kept(fields, record)) : values;
    const version = isUpdate && operation.method === "patch" ? record?.version : undefined;
    setProblem(undefined);
    const input = {
      ...(id !== undefined && { params: { id } }),
      ...(operation.body && { body: { ...given, ...preset } }),
      ...(typeof version === "number" && { headers: { "If-Match": `"${version}"` } }),
    };
    const done = (data: unknown) => {
      toast.done(doneText(operation, data));
      if (!isShown.current) return;
      const { secret: shownOnce } = (data ?? {}) as { readonly secret?: unknown };
      if (typeof shownOnce === "string") return setSecret(shownOnce);
      onClose();
      onDone?.(data);
    };
    // `onError` has shown why it failed.
    write.mutateAsync(input as never).then(done, () => {});
  };

  return (
    <Modal
      opened
      onClose={onClose}
      title={titleOf(operation, record)}
      size={fields.length > 6 ? "lg" : "md"}
      fullScreen={isSmall === true}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      {secret !== undefined && <ShownOnce secret={secret} />}
      <form onSubmit={send} hidden={secret !== undefined}>
        <Stack gap="md">
          {consequence && (
            <Alert color={isRed ? "red" : "gray"} variant="light">
              {operation.id === "refundOrder" && id !== undefined && !values.payment_id ? (
                <RefundEffect id={String(id)} />
              ) : (
                consequence
              )}
            </Alert>
          )}
          {fields.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              value={values[field.name]}
              onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
              path={operation.path}
              error={errorOf(field.name, errors)}
              record={record}
            />
          ))}
          {problem && (
            <Alert color="red" role="alert">
              {problem.message}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("form.cancel")}
            </Button>
            <Button
              type="submit"
              loading={write.isPending}
              {...(isRed && { color: "red" })}
              data-autofocus={fields.length === 0 || undefined}
            >
              {isUpdate && operation.method === "patch" ? t("form.save") : summaryOf(operation)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const ShownOnce = ({ secret }: { readonly secret: string }) => (
  <Alert color="yellow" title={t("form.secret")}>
    <Code block>{secret}</Code>
  </Alert>
);

function titleOf(operation: OperationDescription, record: Values | undefined): string {
  const action = summaryOf(operation);
  return record?.id === undefined ? action : t("form.of", { action, name: nameOfRecord(record) });
}

/** What will happen, in words: a deletion first, then what the table says. */
function consequenceOf({ id, method, description }: OperationDescription, record: Values | undefined): string {
  const told = consequenceTextOf(id) ?? sentencesFor(description);
  if (method !== "delete") return told;
  return `${t("form.deletes", { name: nameOfRecord(record ?? {}) })} ${told}`;
}

/** Several records are dealt with one by one: those that failed are counted. */
function doneText(operation: OperationDescription, data: unknown): string {
  const results = (data as { readonly results?: readonly { readonly outcome: string }[] } | undefined)?.results;
  if (!results) return t("form.done", { action: summaryOf(operation) });
  const failed = results.filter(({ outcome }) => outcome !== "done");
  return failed.length === 0
    ? t("form.done_all", { count: results.length })
    : t("form.done_some", {
        done: results.length - failed.length,
        failed: failed.map(({ outcome }) => outcome).join(", "),
      });
}

const defaultsOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(
    fields.flatMap(({ name, kind, isRequired, schema }) => {
      if (schema.default !== undefined && schema.default !== null) return [[name, schema.default]];
      return isRequired && kind === "flag" ? [[name, false]] : [];
    }),
  );

/** The record's values of the fields of a form. */
const kept = (fields: readonly Field[], record: Values = {}): Values =>
  Object.fromEntries(
    fields.flatMap(({ name }) => {
      if (record[name] !== undefined) return [[name, record[name]]];
      return name === "retired" && "retired_at" in record ? [[name, record.retired_at !== null]] : [];
    }),
  );

const changed = (values: Values, before: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );

/** The error of a field, or of something within it. */
function errorOf(name: string, errors: Readonly<Record<string, string>>): string | undefined {
  const found = Object.keys(errors).find((field) => field === name || new RegExp(`^${name}[.[]`).test(field));
  return found && errors[found];
}

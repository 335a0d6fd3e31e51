import { Anchor, Breadcrumbs, Paper, Title } from "@mantine/core";
import { Link, useLocation, useParams } from "wouter";
import { useApi } from "../api.ts";
import type { OperationId } from "../client.ts";
import { useRead } from "../data.ts";
import { ActionButton } from "../parts/action.tsx";
import { Async } from "../parts/async.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Facts, Value } from "../parts/value.tsx";
import { labelOf, t, titleOf } from "../texts.ts";
import { Below } from "./below.tsx";
import type { GenericPage } from "./pages.ts";
import { nameOfRecord } from "./references.ts";
import { fieldsOf } from "./schema.ts";
import { SeeAlso } from "./see-also.tsx";

type Row = Readonly<Record<string, unknown>>;

/** Whether a job works on a record, such as a run, and tells how far it is. */
const isAtWork = (read: unknown): boolean => typeof (read as Row).progress === "number";

/** One record of the API, or one of a kind such as the system's health: its fields, and what can be done with it. */
export function RecordPage({ page }: { readonly page: GenericPage }) {
  const { path, read, update, actions } = page;
  const api = useApi();
  const { id } = useParams();
  const [, navigate] = useLocation();
  const result = useRead(read.id as OperationId, (id ? { params: { id } } : {}) as never, { refetchWhile: isAtWork });
  const list = id ? path.slice(0, path.lastIndexOf("/")) : undefined;

  return (
    <Async of={result}>
      {(data) => {
        const record = data as unknown as Row;
        const [plain, nested] = parted(fieldsOf(api, read.data));
        return (
          <>
            {list && (
              <Breadcrumbs mb="xs" separatorMargin={6}>
                <Anchor component={Link} href={list} size="sm">
                  {titleOf(list)}
                </Anchor>
                <span aria-hidden="true" />
              </Breadcrumbs>
            )}
            <PageTitle
              title={list ? nameOfRecord(record) : titleOf(path)}
              actions={
                <>
                  <Below page={page} />
                  {actions.map((operation) => (
                    <ActionButton
                      key={operation.id}
                      operation={operation.id}
                      id={id}
                      record={record}
                      {...(operation.method === "delete" && list && { onDone: () => navigate(list) })}
                    />
                  ))}
                  {update && (
                    <ActionButton
                      operation={update.id}
                      id={id}
                      record={record}
                      variant="filled"
                      label={t("form.edit")}
                    />
                  )}
                </>
              }
            />
            <Paper withBorder p="md">
              <Facts fields={plain} record={record} path={path} />
            </Paper>
            {nested.map((field) => (
              <Paper withBorder p="md" mt="md" key={field.name}>
                <Title order={2} size="h5" mb="sm">
                  {labelOf("fields", field.name)}
                </Title>
                <Value field={field} value={record[field.name]} record={record} path={path} />
              </Paper>
            ))}
            {id && <SeeAlso path={path} record={{ id, ...record }} />}
          </>
        );
      }}
    </Async>
  );
}

/** What is long goes below the rest, and the ID last. */
function parted<T extends { readonly kind: string; readonly name: string }>(
  fields: readonly T[],
): readonly [plain: T[], nested: T[]] {
  const isId = ({ name }: T) => name === "id";
  const isNested = ({ kind }: T) => kind === "record" || kind === "records" || kind === "json";
  const plain = fields.filter((field) => !isNested(field));
  return [[...plain.filter((field) => !isId(field)), ...plain.filter(isId)], fields.filter(isNested)];
}

import { Alert, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Setting } from "../../../../shared/client/admin.ts";
import { useCan } from "../account.tsx";
import { useApi } from "../api.ts";
import { type DataOf, fieldErrors, type Input, useRead, useWrite } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { useConfirm } from "../parts/confirm.tsx";
import { FieldInput } from "../parts/field-input.tsx";
import { formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { toast } from "../parts/toast.ts";
import { fieldsOf } from "../resources/schema.ts";
import { labelOf, t } from "../texts.ts";

type Values = Readonly<Record<string, unknown>>;

/** What administrators change while the service runs: each setting with what it does, and who changed it last. */
export default function Settings() {
  return (
    <>
      <PageTitle title={t("settings.title")} lead={t("settings.lead")} />
      <Async of={useRead("listSettings")}>{(settings) => <Form settings={settings} />}</Async>
    </>
  );
}

function Form({ settings }: { readonly settings: DataOf<"listSettings"> }) {
  const fields = fieldsOf(useApi(), useApi().operation("updateSettings").body);
  const canWrite = useCan()("settings.write");
  const confirm = useConfirm();
  const [given, setGiven] = useState<Values>({});
  const [problem, setProblem] = useState<Error>();
  const write = useWrite("updateSettings", { onError: setProblem });
  const errors = fieldErrors(problem);
  const changed = settings.filter(({ key, value }) => key in given && !isSame(given[key], value));

  const send = async (event: FormEvent) => {
    event.preventDefault();
    const names = changed.map(({ key }) => labelOf("fields", key)).join(", ");
    const answer = await confirm({
      title: t("settings.save", { count: changed.length }),
      consequence: t("settings.consequence", { names }),
      action: t("form.save"),
    });
    if (!answer) return;
    setProblem(undefined);
    const body = Object.fromEntries(changed.map(({ key }) => [key, given[key]]));
    await write.mutateAsync({ body } as Input<"updateSettings">).then(
      () => {
        setGiven({});
        toast.done(t("settings.saved"));
      },
      () => {},
    );
  };

  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        {settings.map((setting) => {
          const field = fields.find(({ name }) => name === setting.key);
          return (
            field && (
              <Paper withBorder p="md" key={setting.key} maw={720}>
                <FieldInput
                  field={{ ...field, isRequired: false, schema: { ...field.schema, description: setting.description } }}
                  value={setting.key in given ? given[setting.key] : setting.value}
                  onChange={(value) => setGiven((before) => ({ ...before, [setting.key]: value }))}
                  path="/settings"
                  error={errors[setting.key]}
                />
                <LastChange of={setting} />
              </Paper>
            )
          );
        })}
      </Stack>
      {problem && (
        <Alert color="red" role="alert" mt="md" maw={720}>
          {problem.message}
        </Alert>
      )}
      {canWrite && (
        <Group className="save-bar" mt="md">
          <Button type="submit" disabled={changed.length === 0} loading={write.isPending}>
            {t("settings.save", { count: changed.length })}
          </Button>
        </Group>
      )}
    </form>
  );
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** What a setting is without a change, and who changed it. */
const LastChange = ({ of: { value, default: first, updated_at, updated_by } }: { readonly of: Setting }) => (
  <Text size="xs" c="dimmed" mt={6}>
    {!isSame(value, first) && t("settings.default", { value: textOf(first) })}{" "}
    {updated_at && t("settings.changed", { time: formatTime(updated_at) })}{" "}
    {updated_by && <Named type="admin" id={updated_by} />}
  </Text>
);

const textOf = (value: Setting["default"]): string =>
  typeof value === "boolean" ? (value ? t("value.yes") : t("value.no")) : [value].flat().join(", ") || t("value.none");

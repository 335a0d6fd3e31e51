import { Button, Fieldset, Group, Stack, Text } from "@mantine/core";
import type { ComponentType } from "react";
import { labelOf, t } from "../texts.ts";
import type { InputProps } from "./field-input.tsx";

type Row = Readonly<Record<string, unknown>>;

interface RecordsInputProps extends InputProps {
  /** The input of each field. */
  readonly input: ComponentType<InputProps>;
}

/** A list of objects: the fields of each, and buttons that add and remove one. */
export function RecordsInput({ field, value, onChange, path, error, input: FieldInput }: RecordsInputProps) {
  const rows = (value ?? []) as readonly Row[];
  const label = labelOf("fields", field.name);
  return (
    <Fieldset legend={label}>
      <Stack gap="sm">
        {field.schema.description && (
          <Text size="xs" c="dimmed">
            <bdi>{field.schema.description}</bdi>
          </Text>
        )}
        {rows.map((row, index) => (
          // The order is all that tells the rows apart.
          <Fieldset key={index} legend={t("form.entry", { label, number: index + 1 })} variant="filled">
            <Stack gap="xs">
              {field.fields.map((one) => (
                <FieldInput
                  key={one.name}
                  field={one}
                  value={row[one.name]}
                  onChange={(given) =>
                    onChange(rows.map((other, at) => (at === index ? { ...other, [one.name]: given } : other)))
                  }
                  path={path}
                />
              ))}
              <Group justify="flex-end">
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-sm"
                  onClick={() => onChange(rows.filter((_row, at) => at !== index))}
                >
                  {t("form.remove_entry", { number: index + 1 })}
                </Button>
              </Group>
            </Stack>
          </Fieldset>
        ))}
        {error && (
          <Text size="sm" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
        <Group>
          <Button variant="default" size="compact-sm" onClick={() => onChange([...rows, {}])}>
            {t("form.add_entry", { label })}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}

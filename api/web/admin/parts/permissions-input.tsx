import { Checkbox, Input, Table } from "@mantine/core";
import type { ReactNode } from "react";
import { t } from "../texts.ts";
import { areaOf, wordFor } from "./words.ts";

interface PermissionsInputProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly error?: string | undefined;
  readonly required: boolean;
  readonly values: readonly string[];
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

/** What a role may view and change of each area, and below what else it may. */
export function PermissionsInput({ values, value, onChange, ...labels }: PermissionsInputProps) {
  const toggle = (permission: string) =>
    onChange(value.includes(permission) ? value.filter((one) => one !== permission) : [...value, permission]);
  const box = (permission: string) =>
    values.includes(permission) && (
      <Checkbox
        aria-label={wordFor("permissions", permission)}
        checked={value.includes(permission)}
        onChange={() => toggle(permission)}
      />
    );
  const areas = values.filter((one) => one.endsWith(".write")).map((one) => one.slice(0, -".write".length));
  const others = values.filter((one) => !areas.some((area) => one === `${area}.read` || one === `${area}.write`));
  return (
    <Input.Wrapper {...labels} labelElement="div">
      <Table verticalSpacing={4} withRowBorders={false}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("permissions.area")}</Table.Th>
            <Table.Th>{t("permissions.view")}</Table.Th>
            <Table.Th>{t("permissions.change")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {areas.map((area) => (
            <Table.Tr key={area}>
              <Table.Td>{areaOf(area)}</Table.Td>
              <Table.Td>{box(`${area}.read`)}</Table.Td>
              <Table.Td>{box(`${area}.write`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {others.map((permission) => (
        <Checkbox
          key={permission}
          mt="xs"
          label={wordFor("permissions", permission)}
          checked={value.includes(permission)}
          onChange={() => toggle(permission)}
        />
      ))}
    </Input.Wrapper>
  );
}

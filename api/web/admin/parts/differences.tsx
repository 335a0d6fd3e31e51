import { Text } from "@mantine/core";
import { labelOf, t } from "../texts.ts";
import { formatMoney, isMoney } from "./format.ts";

type Fields = Readonly<Record<string, unknown>> | null;

interface Props {
  readonly before: Fields;
  readonly after: Fields;
}

/** What changed, field by field: what it was, and what it became. What only one side names is a plain fact. */
export function Differences({ before, after }: Props) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const isFact = (name: string) => before !== null && after !== null && !(name in before && name in after);
  const facts = names.filter(isFact);
  const changed = names.filter((name) => !isFact(name) && textOf(before?.[name]) !== textOf(after?.[name]));
  return (
    <>
      {changed.length > 0 && <Changes names={changed} before={before} after={after} />}
      {facts.map((name) => (
        <Text key={name} size="sm">
          {labelOf("fields", name)}: {textIn({ ...before, ...after }, name)}
        </Text>
      ))}
    </>
  );
}

function Changes({ names, before, after }: Props & { readonly names: readonly string[] }) {
  return (
    <table className="differences">
      <thead>
        <tr>
          <th scope="col">{t("differences.field")}</th>
          <th scope="col">{t("differences.before")}</th>
          <th scope="col">{t("differences.after")}</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{labelOf("fields", name)}</th>
            <td>{before && name in before ? <del>{textIn(before, name)}</del> : "–"}</td>
            <td>{after && name in after ? <ins>{textIn(after, name)}</ins> : "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const textIn = (fields: Readonly<Record<string, unknown>>, name: string): string =>
  typeof fields[name] === "number" && isMoney(name, fields)
    ? formatMoney(fields[name], String(fields.currency))
    : textOf(fields[name]);

function textOf(value: unknown): string {
  if (value === undefined || value === null) return t("differences.none");
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

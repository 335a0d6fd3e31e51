import { labelOf, t } from "../texts.ts";

type Fields = Readonly<Record<string, unknown>> | null;

/** What changed, field by field: what it was, and what it became. */
export function Differences({ before, after }: { readonly before: Fields; readonly after: Fields }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter((name) => textOf(before?.[name]) !== textOf(after?.[name]));
  if (changed.length === 0) return null;
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
        {changed.map((name) => (
          <tr key={name}>
            <th scope="row">{labelOf("fields", name)}</th>
            <td>{before && name in before ? <del>{textOf(before[name])}</del> : "–"}</td>
            <td>{after && name in after ? <ins>{textOf(after[name])}</ins> : "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return t("differences.none");
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

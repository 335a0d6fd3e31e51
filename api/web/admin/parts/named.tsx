import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { labelOf, t } from "../texts.ts";
import { addressOf, useName } from "./names.ts";
import { detailOf } from "./words.ts";

interface Props {
  /** What the audit log calls it: `user`, `catalogue_top_up`. */
  readonly type: string;
  readonly id: string | number;
}

/** A record that another refers to: its name, as a link to its page. */
export function Named({ type, id }: Props) {
  const found = useName(type, id);
  const address = addressOf(type, id);
  const detail = detailOf(found?.detail ?? "");
  const name = found?.name || detail || unnamed(type, id);
  if (!address) return <span>{name}</span>;
  return (
    <Anchor component={Link} href={address} size="sm" underline="always" title={detail || undefined}>
      {name}
    </Anchor>
  );
}

/** Its last characters tell a record without a name from others. */
const unnamed = (type: string, id: string | number): string =>
  t("named.unnamed", { kind: labelOf("values", type), id: String(id).slice(-6) });

/** The same for a column that may be empty. */
export const NamedOrNone = ({ type, id }: { readonly type: string; readonly id: string | number | null }) =>
  id === null ? <Text span>–</Text> : <Named type={type} id={id} />;

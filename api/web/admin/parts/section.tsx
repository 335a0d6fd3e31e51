import { Anchor, Badge, Group, Paper, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { Link } from "wouter";
import { t } from "../texts.ts";
import { formatNumber } from "./format.ts";

interface Props {
  readonly title: string;
  readonly count?: number | undefined;
  /** The page that shows all of it. */
  readonly all?: string | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a heading, how many there are, and a link to all of them. */
export function Section({ title, count, all, actions, children }: Props) {
  const id = useId();
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id} className="part">
      <Group justify="space-between" mb="sm" gap="xs">
        <Group gap="xs">
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          {count !== undefined && (
            <Badge variant="light" color="gray">
              {formatNumber(count)}
            </Badge>
          )}
        </Group>
        <Group gap="xs">
          {actions}
          {all && (
            <Anchor component={Link} href={all} size="sm" aria-label={t("parts.all_of", { title })}>
              {t("parts.all")}
            </Anchor>
          )}
        </Group>
      </Group>
      {children}
    </Paper>
  );
}

/** What a list says that has nothing. */
export const Nothing = ({ children = t("parts.none") }: { readonly children?: ReactNode }) => (
  <Text c="dimmed" size="sm">
    {children}
  </Text>
);

/** Names and values. */
export const Facts = ({ of }: { readonly of: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className="facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly id: (row: Row) => string | number;
  readonly main: (row: Row) => ReactNode;
  readonly side?: (row: Row) => ReactNode;
}

/** Rows of little space: what it is, and what belongs to it at the other end. */
export const Rows = <Row,>({ rows, id, main, side }: Rows<Row>) =>
  rows.length === 0 ? (
    <Nothing />
  ) : (
    <ul className="rows">
      {rows.map((row) => (
        <li key={id(row)}>
          <div className="row-main">{main(row)}</div>
          {side && <div className="row-side">{side(row)}</div>}
        </li>
      ))}
    </ul>
  );

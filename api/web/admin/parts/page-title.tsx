import { Group, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";

interface Props {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Buttons at the other end. */
  readonly actions?: ReactNode;
}

/** What the server calls the whole page. */
const site = document.title;

/** The first page keeps the focus where the browser puts it. */
let isFirstPage = true;

/** The heading of a page. It takes the focus when the page opens, so that screen readers begin there. */
export function PageTitle({ title, lead, actions }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${site}`;
  }, [title]);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);

  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <div className="page-title">
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {lead && (
          <Text c="dimmed" size="sm" component="div">
            {lead}
          </Text>
        )}
      </div>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}

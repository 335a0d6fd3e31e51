import { Button, Group, Text } from "@mantine/core";
import type { Query } from "../parts/address.ts";
import { Icon } from "../parts/icon.tsx";
import { t } from "../texts.ts";
import type { Row } from "./columns.tsx";

/** What a list returns: lists by cursor have no numbers. */
export interface Page {
  readonly items: readonly Row[];
  readonly page?: number;
  readonly total?: number;
  readonly total_pages?: number;
  readonly next_before?: string | null;
}

interface Props {
  readonly list: Omit<Page, "items">;
  readonly query: Query;
  readonly change: (patch: Record<string, string | undefined>) => void;
}

/** Goes to the next page of a list, and back. */
export function Paging({ list: { page = 1, total_pages = 1, next_before }, query, change }: Props) {
  if (next_before !== undefined || query.before !== undefined)
    return (
      <Group component="nav" aria-label={t("list.pages")} mt="md" gap="xs">
        <Button variant="default" disabled={!query.before} onClick={() => change({ before: undefined })}>
          {t("list.newest")}
        </Button>
        <Button
          variant="default"
          disabled={!next_before}
          rightSection={<Icon name="forward" size={16} />}
          onClick={() => change({ before: next_before ?? undefined })}
        >
          {t("list.older")}
        </Button>
      </Group>
    );
  if (total_pages <= 1) return null;
  const go = (to: number) => change({ page: to === 1 ? undefined : String(to) });
  return (
    <Group component="nav" aria-label={t("list.pages")} mt="md" gap="xs">
      <Button
        variant="default"
        disabled={page <= 1}
        leftSection={<Icon name="back" size={16} />}
        onClick={() => go(page - 1)}
      >
        {t("list.previous")}
      </Button>
      <Text size="sm" role="status">
        {t("list.page_of", { page, pages: total_pages })}
      </Text>
      <Button
        variant="default"
        disabled={page >= total_pages}
        rightSection={<Icon name="forward" size={16} />}
        onClick={() => go(page + 1)}
      >
        {t("list.next")}
      </Button>
    </Group>
  );
}

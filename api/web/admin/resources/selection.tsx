import { Button, Group, Paper, Text } from "@mantine/core";
import { ActionButton } from "../parts/action.tsx";
import { t } from "../texts.ts";
import type { GenericPage } from "./pages.ts";

interface Props {
  readonly page: GenericPage;
  readonly selected: readonly (string | number)[];
  readonly onClear: () => void;
}

/** What can be done with the selected rows together. */
export const Selection = ({ page: { bulkActions }, selected, onClear }: Props) => (
  <Paper withBorder p="xs" mb="sm" className="selection">
    <Group gap="xs">
      <Text size="sm" role="status">
        {t("list.selected", { count: selected.length })}
      </Text>
      {bulkActions.map(({ id }) => (
        <ActionButton key={id} operation={id} preset={{ ids: selected }} onDone={onClear} size="compact-sm" />
      ))}
      <Button variant="subtle" size="compact-sm" onClick={onClear}>
        {t("list.clear_selection")}
      </Button>
    </Group>
  </Paper>
);

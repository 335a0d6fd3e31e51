import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "../texts.ts";

/** Gray lines where something is being read. */
export const Loading = ({ lines = 4 }: { readonly lines?: number }) => (
  <Stack role="status" aria-label={t("shell.loading")} gap="sm" p="md">
    {Array.from({ length: lines }, (_none, index) => (
      <Skeleton key={index} height={18} radius="sm" width={`${95 - ((index * 17) % 40)}%`} />
    ))}
  </Stack>
);

/** What couldn't be read, and a button that tries again. */
export const Failure = ({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => unknown }) => (
  <Alert color="red" role="alert" title={t("shell.failed")} m="md">
    <Group justify="space-between">
      <Text size="sm">{error.message}</Text>
      {onRetry && (
        <Button size="compact-sm" variant="default" onClick={() => void onRetry()}>
          {t("shell.retry")}
        </Button>
      )}
    </Group>
  </Alert>
);

interface AsyncProps<T> {
  readonly of: UseQueryResult<T, Error>;
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}

/** Shows what a read returns; until then, gray lines; instead, its error. */
export function Async<T>({ of: { data, error, refetch }, lines, children }: AsyncProps<T>) {
  if (error) return <Failure error={error} onRetry={refetch} />;
  if (data === undefined) return <Loading {...(lines && { lines })} />;
  return <>{children(data)}</>;
}

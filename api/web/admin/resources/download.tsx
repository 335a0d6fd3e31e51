import { Button } from "@mantine/core";
import { useState } from "react";
import type { OperationDescription } from "../api-types.ts";
import type { OperationId } from "../client.ts";
import { call } from "../data.ts";
import { Icon } from "../parts/icon.tsx";
import { toast } from "../parts/toast.ts";
import { t } from "../texts.ts";

interface Props {
  readonly operation: OperationDescription;
  /** The filters. */
  readonly query: Readonly<Record<string, string>>;
}

/** Milliseconds that a download may take. */
const timeout = 300_000;

/** Downloads the whole list, as it is narrowed, as a CSV file. */
export function DownloadButton({ operation: { id, path }, query }: Props) {
  const [isBusy, setIsBusy] = useState(false);
  const download = async () => {
    setIsBusy(true);
    try {
      const { page: _page, limit: _limit, before: _before, ...filters } = query;
      const csv = (await call(
        id as OperationId,
        { query: { ...filters, format: "csv" }, timeout } as never,
      )) as unknown;
      save(`${path.slice(1).replaceAll("/", "-")}.csv`, String(csv));
    } catch (error) {
      toast.failed(error as Error);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button
      variant="default"
      loading={isBusy}
      leftSection={<Icon name="download" size={16} />}
      onClick={() => void download()}
    >
      {t("list.download")}
    </Button>
  );
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify } from "csv-stringify";
import type { Response } from "express";
import { logger } from "#shared/kernel/logger.ts";

/** Ends the path of a download; `?format=csv` without it is the same. */
export const csvSuffix = ".csv";

/** Rows that are sent as CSV while they are read. */
export class CsvDownload {
  readonly fileName: string;
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<object>;

  constructor({ fileName, columns }: { fileName: string; columns: readonly string[] }, rows: AsyncIterable<object>) {
    this.fileName = fileName;
    this.columns = columns;
    this.rows = rows;
  }
}

/** How data is downloaded: `rows` yields all of its lines, each with these columns. The query has a field `format`. */
export interface CsvExport<Input> {
  readonly fileName: string;
  readonly columns: readonly string[];
  readonly rows: (call: Input) => AsyncIterable<object>;
}

/** Returns the download that a call asks for, if it does. */
export function downloadOf<Input>(
  csv: CsvExport<Input> | undefined,
  call: Input & { readonly query: unknown },
): { readonly status: 200; readonly data: CsvDownload } | undefined {
  const { format } = call.query as { format?: unknown };
  return csv && format === "csv" ? { status: 200, data: new CsvDownload(csv, csv.rows(call)) } : undefined;
}

/**
 * Sends a download. Cells that a spreadsheet would take for a formula are escaped. An error on the way closes the
 * connection, so that the client sees that the file is not complete.
 */
export async function sendCsv(res: Response, { fileName, columns, rows }: CsvDownload): Promise<void> {
  res.setHeader("Content-Type", "text/csv; charset=utf-8");
  res.setHeader("Cache-Control", "no-store");
  res.setHeader("Content-Disposition", `attachment; filename="${fileName}.csv"`);
  const text = stringify({
    header: true,
    columns: [...columns],
    escape_formulas: true,
    cast: { boolean: String },
  });
  try {
    await pipeline(Readable.from(rows), text, res);
  } catch (error) {
    logger.warn({ err: error, fileName }, "download ended early");
    res.destroy();
  }
}

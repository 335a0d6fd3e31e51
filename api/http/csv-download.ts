import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify } from "csv-stringify";
import type { Response } from "express";
import { logger } from "#shared/kernel/logger.ts";

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

/**
 * Sends a download. Cells that a spreadsheet would take for a formula are escaped. An error on the way closes the
 * connection, so that the client sees that the file is not complete.
 */
export async function sendCsv(res: Response, { fileName, columns, rows }: CsvDownload): Promise<void> {
  res.setHeader("Content-Type", "text/csv; charset=utf-8");
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

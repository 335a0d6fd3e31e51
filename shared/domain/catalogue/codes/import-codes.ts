import { type CsvError, type Info, parse } from "csv-parse/sync";
import type { CodeImport } from "#shared/contracts/catalogue-admin-views.ts";
import type { Principal } from "#shared/contracts/principal.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { fingerprints, sealCode } from "./codes.ts";

/** How many lines a file may have. */
export const importLinesMax = 10_000;

/** 4 to 128 visible ASCII characters, with single spaces between them. */
const codePattern = /^(?=.{4,128}$)[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

type Line = CodeImport["lines"][number];
interface ReadLine {
  readonly line: number;
  /** Undefined in a malformed line. */
  readonly code: string | undefined;
}

/**
 * Adds the codes of a CSV file to the stock of a card's service: one column, with or without the header `code`. The
 * report says what became of each line, and never contains a code. A code that is in the stock of any card, or was
 * sold, is a duplicate; so a file can be imported again.
 * @throws NOT_FOUND, VALIDATION_ERROR for more than 10,000 lines
 */
export async function importCodes(caller: Principal, serviceId: number, csv: Buffer): Promise<CodeImport> {
  const read = readLines(csv);
  const fingerprintOf = await fingerprints();
  const found = new Map<string, { readonly fingerprint: Buffer; readonly code: string; readonly line: number }>();
  for (const { code, line } of read) {
    if (code === undefined) continue;
    const fingerprint = fingerprintOf(code);
    const name = fingerprint.toString("hex");
    if (!found.has(name)) found.set(name, { fingerprint, code, line });
  }
  // Sorted, so that concurrent imports of the same codes wait for each other in one order.
  const codes = [...found.values()].sort((a, b) => a.fingerprint.compare(b.fingerprint));

  return inTransaction(async (tx) => {
    await assertService(tx, serviceId);
    const added = await tx.query<{ fingerprint: Buffer }>(
      `INSERT INTO catalogue_codes (service_id, fingerprint, code_sealed)
       SELECT $1, * FROM unnest($2::bytea[], $3::text[]) ON CONFLICT (fingerprint) DO NOTHING RETURNING fingerprint`,
      [serviceId, codes.map(({ fingerprint }) => fingerprint), codes.map((one) => sealCode(one.fingerprint, one.code))],
    );
    const accepted = new Set(added.map(({ fingerprint }) => found.get(fingerprint.toString("hex"))!.line));
    const report = reportOf(read, accepted);
    const { lines, ...counts } = report;
    await tx.audit(caller, {
      action: "catalogue_codes.import",
      target: { type: "catalogue_card_service", id: String(serviceId) },
      after: counts,
    });
    return report;
  });
}

async function assertService(tx: Tx, serviceId: number): Promise<void> {
  const found = await tx.query(
    "SELECT 1 FROM catalogue_card_services WHERE id = $1 AND retired_at IS NULL FOR KEY SHARE",
    [serviceId],
  );
  if (found.length === 0) throw new DomainError("NOT_FOUND");
}

function readLines(csv: Buffer): ReadLine[] {
  const malformed: ReadLine[] = [];
  const records = parse(csv, {
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    trim: true,
    to: importLinesMax + 2,
    max_record_size: 4096,
    on_skip: (error: CsvError | undefined) => {
      const line = Number(error?.lines ?? 0);
      if (malformed.at(-1)?.line !== line) malformed.push({ line, code: undefined });
    },
  }) as unknown as { readonly record: string[]; readonly info: Info }[];
  const read = records.map(({ record: [code = "", ...rest], info }) => ({
    line: info.lines,
    code: rest.length === 0 && codePattern.test(code) ? code : undefined,
    isHeader: rest.length === 0 && code.toLowerCase() === "code",
  }));
  const lines = (read[0]?.isHeader ? read.slice(1) : read).concat(
    malformed.map((one) => ({ ...one, isHeader: false })),
  );
  if (lines.length > importLinesMax)
    throw new DomainError("VALIDATION_ERROR", "A file has at most {{count}} lines.", {
      values: { count: importLinesMax },
    });
  return lines.sort((a, b) => a.line - b.line);
}

function reportOf(read: readonly ReadLine[], accepted: ReadonlySet<number>): CodeImport {
  const lines = read.map(({ line, code }): Line => {
    if (code === undefined) return { line, outcome: "malformed" };
    return { line, outcome: accepted.has(line) ? "accepted" : "duplicate" };
  });
  const count = (outcome: Line["outcome"]) => lines.filter((line) => line.outcome === outcome).length;
  return { accepted: count("accepted"), duplicate: count("duplicate"), malformed: count("malformed"), lines };
}

import { Alert, Button, FileInput, Paper, Progress, Stack, Table, Text, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useParams } from "wouter";
import { call, queries } from "../data.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { toast } from "../parts/toast.ts";
import { t } from "../texts.ts";
import "./pages.css";

/** Lines of one call: progress is shown after each. */
const batchSize = 500;
/** The most lines with errors that are shown. */
const shownMax = 200;

interface Line {
  readonly line: number;
  readonly text: string;
}

interface Report {
  readonly done: number;
  readonly total: number;
  readonly accepted: number;
  readonly failed: readonly { readonly line: number; readonly outcome: "duplicate" | "malformed" }[];
}

/** The lines that have something, with their places in the file, without the header. */
const linesOf = (text: string): Line[] =>
  text
    .split(/\r?\n/)
    .map((line, index) => ({ line: index + 1, text: line.trim() }))
    .filter((line, index) => line.text !== "" && !(index === 0 && line.text.toLowerCase() === "code"));

/** Adds codes to the stock of a service of a gift card, from a file or pasted. No page shows a code. */
export default function Codes() {
  const { id = "" } = useParams();
  const [text, setText] = useState("");
  const [report, setReport] = useState<Report>();
  const [error, setError] = useState<string>();
  const lines = linesOf(text);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    await importLines(id, lines, setReport).catch((failure: Error) => setError(failure.message));
    setText("");
    await queries.invalidateQueries();
  };
  const isRunning = report !== undefined && report.done < report.total && !error;
  return (
    <>
      <PageTitle title={t("codes.title")} lead={<Named type="catalogue_card_service" id={id} />} />
      <Stack maw={720}>
        <Paper withBorder p="md" component="form" onSubmit={(event) => void send(event)}>
          <Stack>
            <FileInput
              label={t("codes.file")}
              description={t("codes.file_hint")}
              accept=".csv,.txt,text/csv,text/plain"
              placeholder={t("codes.choose")}
              clearable
              clearButtonProps={{ "aria-label": t("codes.remove") }}
              onChange={(file) => void file?.text().then(setText)}
            />
            <Textarea
              label={t("codes.paste")}
              minRows={4}
              maxRows={12}
              autosize
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" disabled={lines.length === 0} loading={isRunning}>
              {t("codes.import", { count: lines.length })}
            </Button>
          </Stack>
        </Paper>
        {error && (
          <Alert color="red" role="alert" title={t("codes.stopped")}>
            {error}
          </Alert>
        )}
        {report && <Result of={report} />}
      </Stack>
    </>
  );
}

async function importLines(id: string, lines: readonly Line[], show: (report: Report) => void): Promise<void> {
  let report: Report = { done: 0, total: lines.length, accepted: 0, failed: [] };
  show(report);
  while (report.done < lines.length) {
    const batch = lines.slice(report.done, report.done + batchSize);
    const body = batch.map(({ text }) => text).join("\n");
    // A code that was imported already is a duplicate: repeating a call whose answer was lost does no harm.
    const answer = await call("importCodes", { params: { id }, body, repeat: true });
    const failed = answer.lines.flatMap(({ line, outcome }) =>
      outcome === "accepted" ? [] : [{ line: batch[line - 1]?.line ?? 0, outcome }],
    );
    report = {
      ...report,
      done: report.done + batch.length,
      accepted: report.accepted + answer.accepted,
      failed: [...report.failed, ...failed],
    };
    show(report);
  }
  toast.done(t("codes.done", { count: report.accepted }));
}

const Result = ({ of: { done, total, accepted, failed } }: { readonly of: Report }) => (
  <Paper withBorder p="md" component="section" aria-label={t("codes.result")}>
    <Stack>
      <Progress value={total === 0 ? 100 : (100 * done) / total} aria-label={t("codes.progress")} size="lg" />
      <Text role="status">
        {t("codes.progress_text", { done, count: total })} {t("codes.accepted", { count: accepted })}{" "}
        {t("codes.failed", { count: failed.length })}
      </Text>
      {failed.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("codes.line")}</Table.Th>
              <Table.Th>{t("codes.outcome")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {failed.slice(0, shownMax).map(({ line, outcome }) => (
              <Table.Tr key={line}>
                <Table.Td>{line}</Table.Td>
                <Table.Td>{t(`codes.${outcome}`)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {failed.length > shownMax && <Text size="sm">{t("codes.more", { count: failed.length - shownMax })}</Text>}
    </Stack>
  </Paper>
);

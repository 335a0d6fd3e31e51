import { Paper, SimpleGrid, Text } from "@mantine/core";
import { useRead } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { formatNumber } from "../parts/format.ts";
import { Rows } from "../parts/section.tsx";
import { labelOf, t } from "../texts.ts";
import { periodText } from "./sanction-dialog.tsx";

const often = 15_000;

const hours = (minutes: number): string => periodText(Math.round(minutes / 6) / 10 || 0.1);

/** How the reviews of the last 30 days went. */
export function ReviewFigures() {
  const figures = useRead("getReviewFigures", {}, { refetchInterval: often });
  return (
    <Async of={figures} lines={2}>
      {({ open, late, decided, median_minutes, appeals_decided, appeals_overturned, rules }) => (
        <>
          <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
            <Figure label={labelOf("values", "open")} value={formatNumber(open)} />
            <Figure label={t("review.view.late")} value={formatNumber(late)} isBad={late > 0} />
            <Figure label={t("review.decided")} value={formatNumber(decided)} />
            <Figure label={t("review.median")} value={median_minutes === null ? "–" : hours(median_minutes)} />
            <Figure
              label={t("review.overturned")}
              value={
                appeals_decided === 0
                  ? "–"
                  : `${formatNumber(Math.round((100 * appeals_overturned) / appeals_decided))} %`
              }
            />
          </SimpleGrid>
          {rules.length > 0 && (
            <details className="by-rule">
              <summary>{t("review.by_rule")}</summary>
              <Rows
                rows={rules}
                id={({ name }) => name}
                main={({ name }) => name}
                side={({ found, rejected, released }) => t("review.rule", { found, rejected, released })}
              />
            </details>
          )}
        </>
      )}
    </Async>
  );
}

const Figure = ({ label, value, isBad = false }: { label: string; value: string; isBad?: boolean }) => (
  <Paper withBorder p="sm" className="figure">
    <Text component="b" {...(isBad && { c: "var(--mantine-color-red-light-color)" })}>
      {value}
    </Text>
    <Text size="xs" c="dimmed" component="span">
      {label}
    </Text>
  </Paper>
);

import { Group, Text, VisuallyHidden } from "@mantine/core";
import { t } from "../texts.ts";
import { formatCompact, formatDate, formatNumber } from "./format.ts";

interface Point {
  readonly date: string;
  readonly value: number;
}

const [width, height] = [300, 90];

/** A bar for each day. Screen readers get its figures as a table. */
export function Chart({ title, points }: { readonly title: string; readonly points: readonly Point[] }) {
  const highest = Math.max(1, ...points.map(({ value }) => value));
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const step = width / Math.max(1, points.length);
  const [first, last] = [points.at(0), points.at(-1)];
  return (
    <figure className="chart">
      <Group justify="space-between" align="baseline" component="figcaption">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          {t("chart.total", { value: formatNumber(total) })}
        </Text>
      </Group>
      <svg className="directed" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <line x1="0" y1={height - 0.5} x2={width} y2={height - 0.5} className="chart-axis" />
        {points.map(({ date, value }, index) => {
          const tall = (value / highest) * (height - 6);
          return (
            <rect key={date} x={index * step + step * 0.1} y={height - tall} width={step * 0.8} height={tall}>
              <title>{`${formatDate(date)}: ${formatNumber(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <Group justify="space-between" aria-hidden="true">
        <Text size="xs" c="dimmed">
          {first && formatDate(first.date)}
        </Text>
        <Text size="xs" c="dimmed">
          {t("chart.highest", { value: formatCompact(highest) })}
        </Text>
        <Text size="xs" c="dimmed">
          {last && formatDate(last.date)}
        </Text>
      </Group>
      <VisuallyHidden>
        <table>
          <caption>{title}</caption>
          <tbody>
            {points.map(({ date, value }) => (
              <tr key={date}>
                <th scope="row">{formatDate(date)}</th>
                <td>{formatNumber(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  );
}

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { operationRows, type Result, type Second, serverLabels, serverRows } from "./result.ts";
import type { ServerFigure } from "./server-figures.ts";

/** A chart: values by second. */
interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly labels: readonly string[];
  /** The seconds, and the values of each label at them; null where there is none. */
  readonly data: readonly (readonly (number | null)[])[];
}

const escaped = (text: unknown): string => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

function table(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const [first] = rows;
  if (!first) return "";
  const cells = (tag: string, values: readonly unknown[]) =>
    values.map((value) => `<${tag}>${escaped(value)}</${tag}>`).join("");
  const lines = rows.map((row) => `<tr>${cells("td", Object.values(row))}</tr>`);
  return `<table><thead><tr>${cells("th", Object.keys(first))}</tr></thead><tbody>${lines.join("")}</tbody></table>`;
}

function chartsOf({ timeline, server }: Result): Chart[] {
  const seconds = timeline.map(({ at }) => at);
  const names = [...new Set(timeline.flatMap(({ operations }) => Object.keys(operations)))].sort();
  const of = (title: string, unit: string, value: (second: Second, name: string) => number | null): Chart => ({
    title,
    unit,
    labels: names,
    data: [seconds, ...names.map((name) => timeline.map((second) => value(second, name)))],
  });
  const codes = [...new Set(timeline.flatMap(({ errors }) => Object.keys(errors)))].sort();
  const times = server.map(({ at }) => Math.round(at * 10) / 10);
  const serverChart = (figure: ServerFigure): Chart => ({
    title: `Service: ${serverLabels[figure]}`,
    unit: "",
    labels: [serverLabels[figure]],
    data: [times, server.map((sample) => sample[figure])],
  });
  const figures: readonly ServerFigure[] = ["cpu", "busy", "memoryMb", "poolWaiting", "mailboxMs"];
  return [
    of("Answers per second", "/s", ({ operations }, name) => operations[name]?.count ?? 0),
    of("Latency, p50", "ms", ({ operations }, name) => operations[name]?.p50 ?? null),
    of("Latency, p99", "ms", ({ operations }, name) => operations[name]?.p99 ?? null),
    {
      title: "Errors and calls in flight",
      unit: "",
      labels: ["in flight", ...codes],
      data: [
        seconds,
        timeline.map(({ inFlight }) => inFlight),
        ...codes.map((code) => timeline.map(({ errors }) => errors[code] ?? 0)),
      ],
    },
    ...(server.length > 0 ? figures.map(serverChart) : []),
  ];
}

const style = `
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1f2328; }
  table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
  th, td { border-bottom: 1px solid #d0d7de; padding: .25rem .75rem; text-align: right; }
  th:first-child, td:first-child { text-align: left; }
  .verdict { font-weight: 600; } .passed { color: #1a7f37; } .failed { color: #cf222e; }
  .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); gap: 1.5rem; }
  .charts > div { min-width: 0; }`;

/** Draws the charts. Runs in the page. */
const script = `
  const colors = ["#0969da", "#cf222e", "#1a7f37", "#9a6700", "#8250df", "#bf3989", "#1b7c83", "#57606a", "#bc4c00"];
  for (const { title, unit, labels, data } of JSON.parse(document.getElementById("charts").textContent)) {
    const place = document.querySelector(".charts").appendChild(document.createElement("div"));
    const series = labels.map((label, index) => ({ label, stroke: colors[index % colors.length], width: 1.5, spanGaps: true }));
    const axes = [{ values: (_plot, ticks) => ticks.map((tick) => tick + " s") }, { size: 70, values: (_plot, ticks) => ticks.map((tick) => tick + " " + unit) }];
    const options = { title, width: place.clientWidth || 500, height: 260, series: [{ label: "second" }, ...series], axes, scales: { x: { time: false } } };
    new uPlot(options, data, place);
  }`;

const textOf = (address: string): Promise<string> => readFile(fileURLToPath(address), "utf8");

/** Returns a page with everything in it, which opens without a network. */
export async function htmlReport(result: Result): Promise<string> {
  const [uplot, uplotStyle] = [
    await textOf(import.meta.resolve("uplot/dist/uPlot.iife.min.js")),
    await textOf(import.meta.resolve("uplot/dist/uPlot.min.css")),
  ];
  const charts = JSON.stringify(chartsOf(result)).replaceAll("<", "\\u003c");
  const { passed, scenario, thresholds, violations, stopped } = result;
  const codes = Object.entries(result.operations).flatMap(([operation, each]) =>
    Object.entries(each.codes).map(([code, count]) => ({ operation, code, count })),
  );
  const kept = thresholds.map(({ text, kept: isKept, found }) => ({
    threshold: text,
    kept: isKept ? "yes" : "no",
    found,
  }));
  const about = Object.entries(result.options).map(([option, value]) => ({ option, value: value ?? "" }));
  const section = (title: string, html: string) => (html ? `<h2>${title}</h2>${html}` : "");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Load test: ${escaped(scenario)}</title><style>${uplotStyle}${style}</style></head><body>
<h1>Load test: ${escaped(scenario)}</h1>
<p class="verdict ${passed ? "passed" : "failed"}">${passed ? "Passed" : "Failed"}${stopped ? " (stopped early)" : ""}</p>
<p>${escaped(result.startedAt)}, ${result.seconds.toFixed(1)} s without the ramp, ${result.arrivals.done} of ${result.arrivals.due} arrivals; ${escaped(result.machine)}</p>
${section("Violations", violations.length > 0 ? `<ul>${violations.map((each) => `<li>${escaped(each)}</li>`).join("")}</ul>` : "")}
${section("Thresholds", table(kept))}
${section("Operations", table(operationRows(result)))}
${section("Errors", table(codes))}
${section("Service", table(serverRows(result.server)))}
<h2>Charts</h2><div class="charts"></div>
${section("Options", table(about))}
<script type="application/json" id="charts">${charts}</script><script>${uplot}</script><script>${script}</script>
</body></html>
`;
}

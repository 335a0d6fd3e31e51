import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { parse } from "yaml";
import { registry } from "./metrics.ts";

const operations = new URL("../../docs/operations/", import.meta.url);
const read = (name: string) => readFile(new URL(name, operations), "utf8");

describe("the alert rules and the dashboard", () => {
  it("pass the tests of promtool", async () => {
    const files = ["alerts.test.yml", "objectives.test.yml"].map((name) => fileURLToPath(new URL(name, operations)));
    const { stdout } = await promisify(execFile)("promtool", ["test", "rules", ...files]);
    expect(stdout.match(/SUCCESS/g)).to.have.length(files.length);
  });

  it("use only metrics that exist, and metrics follow the conventions", async () => {
    const all = await registry.getMetricsAsJSON();
    const names = new Set(all.map(({ name }) => name));
    const used = `${await read("alerts.yml")}${await read("dashboard.json")}`.matchAll(/\b(hubbub|process)_\w+/g);
    for (const [name] of used) expect(names, name).to.include(name.replace(/_(bucket|count|sum)$/, ""));

    for (const { name, help, type } of all.filter((one) => one.name.startsWith("hubbub_"))) {
      expect(help, name).to.match(/\.$/);
      if (String(type) === "counter") expect(name).to.match(/_total$/);
      if (String(type) === "histogram") expect(name).to.match(/_seconds$/);
    }
  });

  it("use only labels that their metrics have", async () => {
    const labels = new Map(
      registry.getMetricsAsArray().map((one) => [one.name, (one as { labelNames?: string[] }).labelNames]),
    );
    const alerts: string[] = parse(await read("alerts.yml")).groups.flatMap(
      ({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr),
    );
    const { panels } = JSON.parse(await read("dashboard.json"));
    const drawn: string[] = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    );
    expect(drawn.length).to.be.greaterThan(10);

    for (const expression of [...alerts, ...drawn]) {
      const names = [...expression.matchAll(/\b(?:hubbub|process)_\w+/g)].map(([name]) =>
        name.replace(/_(bucket|count|sum)$/, ""),
      );
      const known = ["instance", "job", "le", ...names.flatMap((name) => labels.get(name) ?? [])];
      const used = [...expression.matchAll(/by \(([^)]*)\)|(\w+)(?:=|!=|=~)"/g)].flatMap(
        ([, by, label]) => label ?? by!.split(", "),
      );
      for (const label of used) expect(known, expression).to.include(label);
    }
  });

  it("are explained: what each alert means, and what to do", async () => {
    const guide = await readFile(new URL("../operations.md", operations), "utf8");
    const alerts = [...(await read("alerts.yml")).matchAll(/alert: (\w+)/g)].map(([, name]) => name!);
    for (const name of alerts) expect(guide).to.include(`### ${name}`);
  });
});

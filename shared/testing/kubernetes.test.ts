import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Job } from "kubernetes-models/batch/v1/Job";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Service } from "kubernetes-models/v1/Service";
import { parse } from "yaml";
import { registry } from "../kernel/metrics.ts";
import { loadConfig, misspelledVariables } from "../start/config.ts";
import { describeVariable } from "../start/environment.ts";
import { kustomize, type Resource } from "./kustomize.ts";

const root = new URL("../../", import.meta.url);
const folder = new URL("docs/operations/kubernetes/", root);
const overlays = ["production", "staging"] as const;
const models = {
  ...{ ConfigMap, Deployment, HorizontalPodAutoscaler, Ingress, Job, NetworkPolicy, PodDisruptionBudget, Service },
};

describe("the deployment to Kubernetes in docs/operations/kubernetes", () => {
  let production: Resource[];
  let all: Resource[];
  before(async () => {
    const resolved = await Promise.all(overlays.map((name) => kustomize(new URL(`${name}/`, folder))));
    production = resolved[0]!;
    all = resolved.flat();
  });

  const ofKind = (kind: string, from = production) => from.filter((one) => one.kind === kind);
  const podOf = ({ spec }: Resource) => spec.template.spec;
  const containerOf = (one: Resource) => podOf(one).containers[0];
  const programs = (from = production) => [...ofKind("Deployment", from), ...ofKind("Job", from)];
  const labelsOf = ({ spec }: Resource) => spec.template.metadata.labels;

  it("fits the schemas of Kubernetes", () => {
    for (const one of all) {
      const Model = models[one.kind as keyof typeof models] as unknown as new (data: object) => { validate(): void };
      expect(() => new Model(structuredClone(one)).validate(), `${one.kind} ${one.metadata.name}`).not.to.throw();
    }
    const broken = structuredClone(ofKind("Deployment")[0]!);
    broken.spec.replicas = "two";
    expect(() => new Deployment(broken as never).validate()).to.throw();
  });

  it("has only fields that Kubernetes knows", async () => {
    const temporary = await mkdtemp(fileURLToPath(new URL("node_modules/.kubernetes-", root)));
    try {
      // The types say what the schemas let pass: fields that don't exist.
      const written = async (resources: readonly Resource[]) => {
        const imports = Object.entries(models).map(([kind, model]) => {
          const { apiVersion } = model as unknown as { apiVersion: string };
          return `import type { I${kind} } from "kubernetes-models/${apiVersion}/${kind}";`;
        });
        const values = resources.map((one, at) => `export const o${at}: I${one.kind} = ${JSON.stringify(one)};`);
        await writeFile(join(temporary, "all.ts"), [...imports, ...values].join("\n"));
        const tsc = fileURLToPath(new URL("node_modules/.bin/tsc", root));
        const options = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig"];
        const modules = ["--module", "nodenext", "--target", "esnext", "--types", "node"];
        return promisify(execFile)(tsc, [...options, ...modules, join(temporary, "all.ts")]).then(
          () => "",
          ({ stdout }: { stdout: string }) => stdout,
        );
      };
      expect(await written(all)).to.equal("");
      const misspelled = structuredClone(ofKind("Deployment"));
      containerOf(misspelled[0]!).readinessProb = {};
      expect(await written(misspelled)).to.include("readinessProb");
    } finally {
      await rm(temporary, { recursive: true });
    }
  });

  /** What a container's environment is, with secrets as they are created by the commands at the top of the overlay. */
  async function environmentOf(one: Resource, from: readonly Resource[]): Promise<Record<string, string>> {
    const commands = await readFile(new URL("production/kustomization.yaml", folder), "utf8");
    const secretsOf = (name: string) => {
      const command = new RegExp(`create secret generic ${name} (?:.*\\\\\n)*.*`).exec(commands)![0];
      const pairs = [...command.matchAll(/--from-literal=(\w+)=(\S+)/g)];
      return Object.fromEntries(pairs.map(([, key, value]) => [key!, value!.replace("…", "x".repeat(40))]));
    };
    const { env = [], envFrom } = containerOf(one);
    const variables: Record<string, string> = {};
    for (const { configMapRef, secretRef } of envFrom)
      Object.assign(
        variables,
        configMapRef
          ? from.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === configMapRef.name)!.data
          : secretsOf(secretRef.name),
      );
    for (const { name, value, valueFrom } of env)
      variables[name] = value ?? secretsOf(valueFrom.secretKeyRef.name)[valueFrom.secretKeyRef.key]!;
    return variables;
  }

  it("gives each process a configuration that it accepts, and secrets by reference only", async () => {
    for (const name of overlays) {
      const from = all.filter(
        ({ metadata }) => metadata.namespace === (name === "production" ? "hubbub" : `hubbub-${name}`),
      );
      const roles = new Set<string>();
      for (const one of programs(from)) {
        const variables = await environmentOf(one, from);
        const { ENCRYPTION_KEY, JWT_SECRET } = variables;
        // One generated text stands for all secrets, which must differ.
        const config = loadConfig({ ...variables, JWT_SECRET: `1${JWT_SECRET}`, ENCRYPTION_KEY: `2${ENCRYPTION_KEY}` });
        expect(misspelledVariables(variables)).to.deep.equal([]);
        expect(config.environment).to.equal("production");
        if (one.kind === "Deployment") for (const role of config.roles) roles.add(role);
        const plain = [
          ...(containerOf(one).env ?? []),
          ...ofKind("ConfigMap", from).flatMap(({ data }) =>
            Object.keys(data!).map((key) => ({ name: key, value: key })),
          ),
        ];
        for (const { name: variable, value } of plain)
          if (value !== undefined && variable !== "NODE_OPTIONS")
            expect(describeVariable(variable).secrecy, variable).not.to.equal("secret");
      }
      expect([...roles].sort()).to.deep.equal(["api", "engine", "jobs"]);
    }
  });

  it("migrates as another role than the one that serves", async () => {
    const [job, process] = await Promise.all(
      [ofKind("Job")[0]!, ofKind("Deployment")[0]!].map((one) => environmentOf(one, production)),
    );
    const userOf = (url: string) => new URL(url).username;
    expect([job!.DATABASE_URL, job!.DATABASE_DIRECT_URL].map((url) => userOf(url!))).to.deep.equal([
      "hubbub",
      "hubbub",
    ]);
    expect(userOf(process!.DATABASE_URL!)).to.equal("hubbub_runtime");
    expect(containerOf(ofKind("Job")[0]!).command).to.deep.equal(["node", "main.ts", "migrate"]);
  });

  it("has probes and times that fit the service", async () => {
    for (const one of ofKind("Deployment", all)) {
      const { drainMs } = loadConfig({
        NODE_ENV: "test",
        DRAIN_SECONDS: (await environmentOf(one, all)).DRAIN_SECONDS!,
      });
      const { readinessProbe, startupProbe, livenessProbe } = containerOf(one);
      expect(podOf(one).terminationGracePeriodSeconds).to.be.at.least(drainMs / 1000 + 15);
      expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold).to.be.below(drainMs / 3000);
      expect(readinessProbe.httpGet).to.deep.equal({ path: "/readyz?self", port: "metrics" });
      for (const { httpGet } of [startupProbe, livenessProbe])
        expect(httpGet).to.deep.equal({ path: "/healthz", port: "http" });
      const { PORT, METRICS_PORT } = await environmentOf(one, all);
      expect(
        containerOf(one).ports.map(({ containerPort }: { containerPort: number }) => `${containerPort}`),
      ).to.deep.equal([PORT, METRICS_PORT]);
    }
  });

  it("gives no process a privilege, and each its limits", () => {
    for (const one of programs(all)) {
      const { image, resources, securityContext, volumeMounts } = containerOf(one);
      expect(podOf(one)).to.deep.include({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(podOf(one).securityContext).to.deep.include({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(securityContext).to.deep.equal({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
      });
      expect(image).to.match(/^\S+\/hubbub(:\d+\.\d+\.\d+|@sha256:[0-9a-f]{64})$/);
      expect(resources.requests).to.have.keys("cpu", "memory");
      expect(volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)).to.include.members([
        "/data",
        "/tmp",
      ]);
      if (one.kind === "Job") continue;
      const heap = Number(/--max-old-space-size=(\d+)/.exec(JSON.stringify(containerOf(one).env))![1]);
      const [, size, unit] = /^(\d+)(Mi|Gi)$/.exec(resources.limits.memory)!;
      expect(heap).to.be.below(Number(size) * (unit === "Gi" ? 1024 : 1) * 0.8);
    }
  });

  it("names for each service, budget, and autoscaler a deployment that exists", () => {
    const byName = new Map(ofKind("Deployment").map((one) => [one.metadata.name, one]));
    for (const one of byName.values()) expect(one.spec.selector.matchLabels).to.deep.equal(labelsOf(one));
    for (const one of [...ofKind("Service"), ...ofKind("PodDisruptionBudget")])
      expect(one.spec.selector.matchLabels ?? one.spec.selector).to.deep.equal(
        labelsOf(byName.get(one.metadata.name)!),
      );
    for (const kind of ["PodDisruptionBudget", "HorizontalPodAutoscaler"])
      expect(ofKind(kind).map(({ metadata }) => metadata.name)).to.have.members([...byName.keys()]);
    for (const { spec } of ofKind("HorizontalPodAutoscaler")) {
      expect(byName.has(spec.scaleTargetRef.name)).to.equal(true);
      // One may always go.
      expect(spec.minReplicas).to.be.greaterThan(1);
    }
    for (const one of programs()) {
      expect(Object.entries(labelsOf(one))).to.deep.include.members(
        Object.entries(ofKind("NetworkPolicy")[0]!.spec.podSelector.matchLabels),
      );
      for (const { labelSelector } of podOf(one).topologySpreadConstraints ?? [])
        expect(labelSelector.matchLabels).to.deep.equal(labelsOf(one));
    }
  });

  it("sends connections to the processes that have them, and the rest to REST", () => {
    for (const ingress of ofKind("Ingress", all)) {
      const [{ host, http }] = ingress.spec.rules;
      const serviceAt = (path: string) =>
        http.paths
          .filter(({ path: prefix }: { path: string }) => path.startsWith(prefix))
          .sort((a: { path: string }, b: { path: string }) => b.path.length - a.path.length)[0].backend.service.name;
      expect(["/socket.io/", "/matchmake/join/voice_room", "/voice/evidence/x"].map(serviceAt)).to.deep.equal(
        Array(3).fill("hubbub-engine"),
      );
      expect(["/api/v1/rooms", "/docs", "/process/room"].map(serviceAt)).to.deep.equal(Array(3).fill("hubbub-api"));
      const map = ofKind("ConfigMap", all).find(({ metadata }) => metadata.namespace === ingress.metadata.namespace)!;
      expect(map.data!.PUBLIC_URL).to.equal(`https://${host}`);
      expect(ingress.spec.tls[0].hosts).to.deep.equal([host]);
    }
    expect(new Set(ofKind("Service").map(({ metadata }) => metadata.name))).to.deep.equal(
      new Set(["hubbub-api", "hubbub-engine"]),
    );
  });

  it("scales by the share of the event loop, which the adapter makes of a metric that exists", async () => {
    const [rule] = parse(await readFile(new URL("prometheus-adapter.yaml", folder), "utf8")).rules.custom;
    const series = /^\w+/.exec(rule.seriesQuery)![0];
    expect(registry.getSingleMetric(series), series).to.be.an("object");
    const name = series.replace(new RegExp(rule.name.matches), rule.name.as.replaceAll(/[{}]/g, ""));
    for (const { spec } of ofKind("HorizontalPodAutoscaler")) {
      expect(spec.metrics[0].pods.metric.name).to.equal(name);
      expect(spec.metrics[1].resource.name).to.equal("cpu");
    }
  });
});

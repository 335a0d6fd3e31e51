import { readFile } from "node:fs/promises";
import { parse, parseAllDocuments } from "yaml";

/** An object of Kubernetes. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  // biome-ignore lint/suspicious/noExplicitAny: whatever its kind has; the schemas check it.
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
}

type Tree = Record<string, unknown>;

interface Kustomization {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly resources: readonly string[];
  readonly images?: readonly { name: string; newName?: string; newTag?: string; digest?: string }[];
  readonly configMapGenerator?: readonly { name: string; behavior?: "merge"; literals: readonly string[] }[];
  readonly patches?: readonly { path?: string; patch?: string; target: { kind: string; name?: string } }[];
}

const known = ["apiVersion", "kind", "namespace", "resources", "images", "configMapGenerator", "patches"];

/**
 * Resolves a kustomization as `kubectl kustomize` does, as far as the folders of this repository need it, except for
 * the hashes in names of generated maps. Throws for what it doesn't know, and for patches of nothing.
 */
export async function kustomize(folder: URL): Promise<Resource[]> {
  const text = await readFile(new URL("kustomization.yaml", folder), "utf8");
  const { kind, namespace, ...rest } = parse(text) as Kustomization;
  const unknown = Object.keys({ kind, ...rest }).filter((key) => !known.includes(key));
  if (kind !== "Kustomization" || unknown.length > 0) throw new Error(`${folder}: ${kind} with ${unknown}`);

  const below = await Promise.all(
    rest.resources.map(async (name) =>
      name.endsWith(".yaml")
        ? parseAllDocuments(await readFile(new URL(name, folder), "utf8")).map((one) => one.toJS({}) as Resource)
        : kustomize(new URL(`${name}/`, folder)),
    ),
  );
  let all = generateMaps(below.flat(), rest.configMapGenerator ?? []);
  for (const { path, patch, target } of rest.patches ?? []) {
    const change = parse(patch ?? (await readFile(new URL(path!, folder), "utf8")));
    const isMeant = ({ kind, metadata }: Resource) =>
      kind === target.kind && (target.name ?? metadata.name) === metadata.name;
    if (!all.some(isMeant)) throw new Error(`${folder}: nothing to patch for ${JSON.stringify(target)}`);
    all = all.map((one) => (isMeant(one) ? patched(one, change) : one));
  }
  return all.map((one) => withImages(namespace ? merge(one, { metadata: { namespace } }) : one, rest.images ?? []));
}

function generateMaps(
  resources: readonly Resource[],
  generators: NonNullable<Kustomization["configMapGenerator"]>,
): Resource[] {
  const all = [...resources];
  for (const { name, behavior, literals } of generators) {
    const at = all.findIndex(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === name);
    if (at >= 0 !== (behavior === "merge"))
      throw new Error(`The map ${name} is there, or isn't, against its behavior.`);
    const data = Object.fromEntries(
      literals.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    if (at >= 0) all[at] = merge(all[at]!, { data });
    else all.push({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
  }
  return all;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

/** Applies a patch of JSON (a list of operations) or a strategic merge patch. */
function patched(resource: Resource, change: Tree | Operation[]): Resource {
  if (!Array.isArray(change)) {
    const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = change;
    return merge(resource, rest);
  }
  const copy = structuredClone(resource);
  for (const { op, path, value } of change) {
    const keys = path.split("/").slice(1);
    const parent = keys.slice(0, -1).reduce((tree, key) => tree[key] as Tree, copy as unknown as Tree);
    if (op !== "replace" || parent[keys.at(-1)!] === undefined) throw new Error(`${op} at ${path}`);
    parent[keys.at(-1)!] = value;
  }
  return copy;
}

/** Lists whose items are merged by a field; others are replaced. */
const mergeKeys: Readonly<Record<string, string>> = {
  ...{ containers: "name", env: "name", volumes: "name" },
  ...{ ports: "containerPort", volumeMounts: "mountPath", topologySpreadConstraints: "topologyKey" },
};

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

function merge<T extends object>(tree: T, change: object): T {
  const merged: Tree = { ...(tree as Tree) };
  for (const [key, value] of Object.entries(change)) {
    const [before, by] = [merged[key], mergeKeys[key]];
    if (isTree(before) && isTree(value)) merged[key] = merge(before, value);
    else if (by && Array.isArray(before) && Array.isArray(value)) merged[key] = mergeLists(before, value, by);
    else merged[key] = value;
  }
  return merged as T;
}

function mergeLists(before: readonly Tree[], changes: readonly Tree[], by: string): Tree[] {
  const added = changes.filter((change) => !before.some((item) => item[by] === change[by]));
  const kept = before.map((item) => merge(item, changes.find((change) => change[by] === item[by]) ?? {}));
  return [...kept, ...added];
}

function withImages(resource: Resource, images: NonNullable<Kustomization["images"]>): Resource {
  const containers: Tree[] | undefined = resource.spec?.template?.spec?.containers;
  if (!containers) return resource;
  const named = containers.map((container) => {
    const image = images.find(({ name }) => name === container.image);
    const tag = image?.digest ? `@${image.digest}` : `:${image?.newTag}`;
    return image ? { ...container, image: `${image.newName ?? image.name}${tag}` } : container;
  });
  return merge(resource, { spec: { template: { spec: { containers: named } } } });
}

import { readFile } from "node:fs/promises";

/** Objects of one kind. */
interface Kind {
  count: number;
  /** Their own bytes, with those of their buffers. */
  bytes: number;
}

/** By their constructor, or by the constructor and the field that hold them. */
export type Objects = ReadonlyMap<string, Readonly<Kind>>;

/** The format of V8, as DevTools reads it. */
interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[]];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly [readonly string[]];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
}

/** Nodes that say by themselves what they are. The others are named after what holds them. */
const named: ReadonlySet<string> = new Set(["object", "native", "regexp", "synthetic"]);
/** What isn't data. */
const skipped: ReadonlySet<string> = new Set(["code", "synthetic"]);

const parse = async (file: string) => new HeapSnapshot(JSON.parse(await readFile(file, "utf8")) as Snapshot);

/**
 * Returns the objects that are in the second heap snapshot of a process and were not in the first. Those of Node.js
 * have new IDs in each: of them, those that have been added.
 */
export async function newObjects(beforeFile: string, afterFile: string): Promise<Objects> {
  const before = await parse(beforeFile);
  const known = new Set(before.ids());
  const after = await parse(afterFile);
  const kinds = after.kinds(({ id, isNative }) => !isNative && !known.has(id));
  const earlier = before.kinds(({ isNative }) => isNative);
  for (const [label, { count, bytes }] of after.kinds(({ isNative }) => isNative)) {
    const { count: countBefore = 0, bytes: bytesBefore = 0 } = earlier.get(label) ?? {};
    if (count > countBefore) kinds.set(label, { count: count - countBefore, bytes: bytes - bytesBefore });
  }
  return kinds;
}

class HeapSnapshot {
  readonly #of: Snapshot;
  readonly #size: number;
  readonly #count: number;

  constructor(of: Snapshot) {
    this.#of = of;
    this.#size = of.snapshot.meta.node_fields.length;
    this.#count = of.nodes.length / this.#size;
  }

  *ids(): Iterable<number> {
    const read = this.#field("id");
    for (let node = 0; node < this.#count; node += 1) yield read(node);
  }

  #field(name: string): (node: number) => number {
    const at = this.#of.snapshot.meta.node_fields.indexOf(name);
    return (node) => this.#of.nodes[node * this.#size + at]!;
  }

  /** Sums up the objects that count. */
  kinds(counts: (node: { id: number; isNative: boolean }) => boolean): Map<string, Kind> {
    const [id, type, bytes] = [this.#field("id"), this.#field("type"), this.#field("self_size")];
    const types = this.#of.snapshot.meta.node_types[0];
    const kinds = new Map<string, Kind>();
    for (const [node, label] of this.#labels().entries()) {
      const kindOfNode = types[type(node)]!;
      if (label === undefined || skipped.has(kindOfNode)) continue;
      if (!counts({ id: id(node), isNative: kindOfNode === "native" })) continue;
      const kind = kinds.get(label) ?? { count: 0, bytes: 0 };
      kind.count += 1;
      kind.bytes += bytes(node);
      kinds.set(label, kind);
    }
    return kinds;
  }

  /** Names all nodes, by the shortest way to each from the root. */
  #labels(): (string | undefined)[] {
    const { snapshot, edges, strings } = this.#of;
    const { node_types, edge_types, edge_fields } = snapshot.meta;
    const [type, name, edgeCount] = [this.#field("type"), this.#field("name"), this.#field("edge_count")];
    const edgeSize = edge_fields.length;
    const firstEdge = new Uint32Array(this.#count + 1);
    for (let node = 0; node < this.#count; node += 1)
      firstEdge[node + 1] = firstEdge[node]! + edgeCount(node) * edgeSize;

    const labels: (string | undefined)[] = new Array(this.#count);
    const labelOf = (node: number, holder: string, edge: number): string => {
      const kind = node_types[0][type(node)]!;
      if (kind === "closure") return `function ${strings[name(node)]}`;
      if (named.has(kind)) return strings[name(node)]!;
      const isNamed = ["property", "internal", "context"].includes(edge_types[0][edges[edge]!]!);
      return `${holder.split(" ⊃ ")[0]} ⊃ ${isNamed ? strings[edges[edge + 1]!] : kind}`.slice(0, 80);
    };
    const queue = new Uint32Array(this.#count);
    labels[0] = "(root)";
    for (let read = 0, written = 1; read < written; read += 1) {
      const holder = queue[read]!;
      for (let edge = firstEdge[holder]!; edge < firstEdge[holder + 1]!; edge += edgeSize) {
        const node = edges[edge + 2]! / this.#size;
        if (labels[node] !== undefined || edge_types[0][edges[edge]!] === "weak") continue;
        labels[node] = labelOf(node, labels[holder]!, edge);
        queue[written] = node;
        written += 1;
      }
    }
    return labels;
  }
}

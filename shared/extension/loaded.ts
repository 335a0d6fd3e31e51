import type { Tx } from "#shared/db/transaction.ts";
import type { Parts } from "./define.ts";
import type { AnyShape } from "./game.ts";
import type { Hub, HubTx } from "./hub.ts";
import type { AskRules } from "./perform-rules.ts";

/** A game that an extension brings, and how its rules are asked. */
export interface GameOfExtension {
  readonly shape: AnyShape;
  readonly ask: AskRules;
}

/** An extension that is part of this process. */
export interface LoadedExtension {
  readonly name: string;
  readonly folder: string;
  readonly parts: Parts;
  readonly games: readonly GameOfExtension[];
  readonly hub: Hub;
  /** What it may do within a transaction. */
  readonly txOf: (tx: Tx) => HubTx;
}

/** The extensions of this process, in the order of `HUBBUB_EXTENSIONS`. Filled before the service's modules load. */
export const loadedExtensions: LoadedExtension[] = [];

/** The setting that switches an extension off. */
export const enabledSetting = (name: string): string => `${name}_enabled`;

/** The schema of its tables, and its account of the ledger. */
export const schemaOf = (name: string): string => `ext_${name}`;

/** The names of its jobs, and of what its coins move for. */
export const ownName = (name: string, part: string): string => `${schemaOf(name)}.${part}`;

/** The names of its workloads, as scenarios of load tests. */
export const ownWorkload = (name: string, workload: string): string => `${name}:${workload}`;

/** What all coins of extensions move as. */
export const entryType = "extension";

export const isOn = ({ name, hub }: LoadedExtension): boolean => hub.setting<boolean>(enabledSetting(name));

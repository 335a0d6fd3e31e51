import type Joi from "joi";
import type { ActionSpec } from "#shared/contracts/action-spec.ts";
import type { EventSpec } from "#shared/contracts/event-spec.ts";
import type { Fields } from "#shared/contracts/fields.ts";
import type { Principal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { ErrorCodeEntry } from "#shared/kernel/error-codes.ts";
import type { Language } from "#shared/kernel/languages.ts";
import type { AnyGame } from "./game.ts";
import type { Hub, HubTx } from "./hub.ts";
import type { ExtensionRoute } from "./routes.ts";
import type { Workload } from "./workload.ts";

/** What a hook sees of a call or an action. */
export interface Hooked {
  /** The ID of the operation, or the name of the action. */
  readonly name: string;
  readonly caller: Principal | null;
  /**
   * Of an operation: `{ params, query, body }`. Of an action: its payload, with the ID of what it acts on (`room_id`,
   * `lobby_id`, or `session_id`).
   */
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Runs before an operation or an action. Returns fields of the body or the payload that change, or nothing; throws
 * `hub.error(…)` to refuse.
 */
export interface BeforeHook {
  /** What happens when it fails, is too slow, or is switched off: the call goes on, or is refused. */
  readonly failure: "open" | "closed";
  /** How long it may take, milliseconds: 1 to 5,000; 200 by default. */
  readonly deadlineMs?: number;
  readonly run: (hooked: Hooked) => undefined | object | Promise<undefined | object>;
}

/** Runs after an operation or an action has succeeded; its caller doesn't wait for it. */
export type AfterHook = (hooked: Hooked & { readonly result: unknown }) => void | Promise<void>;

/**
 * Runs after domain events, at least once, in a transaction of its own. A throw makes it run again, with pauses.
 * `events`: the `data` of each. They are missed for good while the extension is switched off by its setting, but for
 * those in `whileOff`.
 */
export type EventHandler = (tx: HubTx, events: readonly Readonly<Record<string, unknown>>[]) => Promise<void>;

/** The room as an action sees it. */
export interface RoomOfAction {
  readonly id: string;
  readonly hostId: string;
  readonly memberIds: readonly string[];
  /** The occupants of the seats, by number from 1; null for a free one. */
  readonly seats: readonly (string | null)[];
  readonly roleOf: (userId: string) => string | null;
}

/**
 * An action of voice rooms, for members. The room decides one action at a time: `prepare` reads beside others, `decide`
 * doesn't wait, and what it returns is written, then pushed, then replied.
 */
export interface RoomAction extends Omit<ActionSpec, "origin" | "errors" | "blocks"> {
  readonly errors?: readonly string[];
  readonly prepare?: (room: RoomOfAction, ask: RoomAsk) => Promise<unknown>;
  readonly decide: (room: RoomOfAction, ask: RoomAsk, prepared: never) => RoomDecision;
}
export interface RoomAsk {
  readonly caller: UserPrincipal;
  readonly input: Readonly<Record<string, unknown>>;
}
export interface RoomDecision {
  /** Runs in a transaction. What it throws refuses the action. */
  readonly write?: (tx: HubTx) => Promise<void>;
  /** Pushed to the members after `write`. They can't depend on it: see `tx.publish` for those that do. */
  readonly events?: readonly Pushed[];
  /** Called after `write`. */
  readonly reply: () => object;
}

/** An event of `events`, for clients. */
export interface Pushed {
  readonly event: string;
  readonly payload: object;
}

/** A domain event of the extension: published with a commit, and shown to endpoints and sinks. */
export interface PublishedKind {
  readonly version: number;
  /** A sentence without a full stop. */
  readonly summary: string;
  /** The field by which events are ordered. */
  readonly key: string;
  readonly fields: Fields;
  /** The rooms whose clients it is pushed to, and as what: at most one for each room. */
  readonly push?: (payload: never) => RoomPush | readonly RoomPush[];
}
export type RoomPush = Pushed & { readonly roomId: string };

/** Plain records that administrators manage, in a table of the extension with `id`, `version`, and both times. */
export interface ExtensionRecords {
  /** The table, a plural: `red_packet_themes`. */
  readonly table: string;
  /** `red_packet_theme` */
  readonly name: string;
  /** For texts: `a theme`, `themes`. */
  readonly one: string;
  readonly many: string;
  readonly fields: Readonly<Record<string, { readonly column: ColumnKind; readonly schema: Joi.AnySchema }>>;
  /** The values of fields that a new record may leave out. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Text columns that lists search. */
  readonly search: readonly string[];
  readonly sorts: readonly string[];
}
export type ColumnKind = "text" | "integer" | "bigint" | "flag" | "time" | "uuid";

export interface ExtensionJob {
  readonly run: (data: never) => Promise<void>;
  /** Runs by the clock, once in the whole service: a cron expression, UTC. */
  readonly cron?: string;
  /** The maximum number of retries; 5 by default. */
  readonly retries?: number;
}

/** What an extension adds to the service. Names begin with its own, except for those of jobs, causes, and exports. */
export interface Parts {
  /** What it does, a sentence for administrators. */
  readonly summary: string;
  readonly routes?: readonly ExtensionRoute[];
  /** By operation ID, or by the name of an action. */
  readonly before?: Hooks<BeforeHook>;
  readonly after?: Hooks<AfterHook> & {
    readonly events?: Readonly<Record<string, EventHandler>>;
    /** Those of `events` that are handled while the extension is switched off, too: they return what it holds. */
    readonly whileOff?: readonly string[];
  };
  readonly actions?: Readonly<Record<string, RoomAction>>;
  readonly events?: Readonly<Record<string, Omit<EventSpec, "origin">>>;
  readonly publishes?: Readonly<Record<string, PublishedKind>>;
  readonly settings?: Readonly<Record<string, ExtensionSetting>>;
  readonly records?: readonly ExtensionRecords[];
  /** By short names of a-z and _: `sweep`. */
  readonly jobs?: Readonly<Record<string, ExtensionJob>>;
  /** Games, by `defineGame`. Their types are its name, or begin with it. */
  readonly games?: readonly AnyGame[];
  /**
   * What its coins move for, by short names of a-z and _, such as `payout`: the SQL that selects the ledger entries
   * that its rows call for, as `id`, `account` (a user's ID as text, or `ext_<name>`), `amount`. `npm run ledger:check`
   * compares the two.
   */
  readonly causes?: Readonly<Record<string, { readonly title: string; readonly entries: string }>>;
  /** Error codes of its own, in capitals: `RED_PACKETS_GONE`. */
  readonly errors?: Readonly<Record<string, ErrorCodeEntry>>;
  /** Erases some of what it keeps of a user, and returns how many rows: 0 when nothing is left. */
  readonly erase?: (tx: HubTx, userId: string) => Promise<number>;
  /**
   * What users download of what it keeps of them: by the name of a file, of a-z and -, the SQL that selects it, with
   * the user's ID as `$1`. `claims` of `red_packets` is the file `red-packets-claims`.
   */
  readonly exports?: Readonly<Record<string, string>>;
  /** What users do with it in load tests and in chaos. */
  readonly workloads?: Readonly<Record<string, Workload>>;
  /** Translations of its texts: by language, by the English text. */
  readonly texts?: Partial<Readonly<Record<Language, Readonly<Record<string, string>>>>>;
}
interface Hooks<Hook> {
  readonly operations?: Readonly<Record<string, Hook>>;
  readonly actions?: Readonly<Record<string, Hook>>;
}
export interface ExtensionSetting {
  readonly schema: Joi.AnySchema;
  readonly fallback: unknown;
  readonly description: string;
}

export interface Extension {
  readonly name: string;
  readonly parts: (hub: Hub) => Parts;
}

/**
 * Defines an extension, as the default export of its `index.ts`. `name`: 2 to 30 characters of a-z and _. It is also
 * the name of its schema, `ext_<name>`, and of the setting that switches it off, `<name>_enabled`.
 */
export const defineExtension = (name: string, parts: (hub: Hub) => Parts): Extension => ({ name, parts });

import type { RequiredPermission } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal, Principal } from "#shared/contracts/principal.ts";
import { auditRefusal } from "#shared/db/audit-refusal.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type CsvExport, downloadOf } from "./csv-download.ts";
import {
  type AuditTarget,
  answerOf,
  type Call,
  type Callers,
  checkedCall,
  inputOf,
  type Route,
  type RouteEntry,
  type Typed,
  type Untyped,
} from "./route.ts";

/** An operation of an admin API: only administrators whose role has the permission may call it, also during
 * maintenance. */
export interface AdminRoute extends Route {
  readonly auth: "admin";
  readonly permission: RequiredPermission;
}

type AdminCall<Params, Query, Body> = Call<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>, AdminPrincipal>;

type AdminEntry<Params, Query, Body, Data> = Untyped &
  Omit<Typed<Params, Query, Body, Data, "admin", never>, "auth"> & {
    readonly permission: RequiredPermission;
    readonly handler: (call: AdminCall<Params, Query, Body>) => Promise<NoInfer<Data>>;
  };

/**
 * The audit entry that the operation's command writes (see `Tx.audit`). It is declared again here so that the list of
 * routes says what is audited; the test client compares it with the audit log after each successful call.
 */
interface AuditRule<Input, Data> {
  /** `user.suspend` */
  readonly action: string;
  /**
   * Returns what is changed, from the input and, where it depends on the outcome, from the response: one target for
   * each audit entry. A target without ID is created by the call.
   */
  readonly target: (input: Input, data: Data) => AuditTarget | readonly AuditTarget[];
}

/** Creates a route by which administrators read. It leaves no entry in the audit log. */
export function adminRead<Params = object, Query = object, Body = object, Data = unknown>(
  entry: AdminEntry<Params, Query, Body, Data> & {
    readonly method: "get";
    readonly audit?: never;
    readonly csv?: CsvExport<AdminCall<Params, Query, Body>>;
  },
): AdminRoute {
  const { audit: _none, ...rest } = entry;
  const typed = { ...rest, auth: "admin", inMaintenance: true } as const;
  return {
    ...typed,
    run: async (raw) => {
      const call = checkedCall<Params, Query, Body, "admin">(typed, raw);
      return downloadOf(entry.csv, call) ?? answerOf(typed, await refusalsAudited(entry.id, call, entry.handler));
    },
  };
}

type WriteEntry<Params, Query, Body, Data, A extends "admin" | "user_or_admin"> = Untyped &
  Omit<Typed<Params, Query, Body, Data, A, never>, "auth"> & {
    readonly permission: RequiredPermission;
    readonly method: Exclude<RouteEntry["method"], "get">;
    readonly audit: AuditRule<
      Pick<Call<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>>, "params" | "query" | "body">,
      NoInfer<Data>
    >;
    readonly handler: (
      call: Call<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>, Callers[A]>,
    ) => Promise<NoInfer<Data>>;
  };

/** Creates a route by which administrators change something. The handler passes its caller on to the command. */
export const adminWrite = <Params = object, Query = object, Body = object, Data = unknown>(
  entry: WriteEntry<Params, Query, Body, Data, "admin">,
): AdminRoute => auditedWrite({ ...entry, auth: "admin", inMaintenance: true });

/** Creates a route by which users change what is theirs, and administrators with the permission what is anyone's. */
export const userOrAdminWrite = <Params = object, Query = object, Body = object, Data = unknown>(
  entry: WriteEntry<Params, Query, Body, Data, "user_or_admin">,
): Route => auditedWrite({ ...entry, auth: "user_or_admin" });

function auditedWrite<Params, Query, Body, Data, A extends "admin" | "user_or_admin">(
  entry: WriteEntry<Params, Query, Body, Data, A> & { readonly auth: A },
): Route & { readonly auth: A; readonly permission: RequiredPermission } {
  const { audit, ...typed } = entry;
  return {
    ...typed,
    audit: { ...audit, targetsOf: (raw, data) => [audit.target(inputOf(typed, raw), data as Data)].flat() },
    run: async (raw) => {
      const call = checkedCall<Params, Query, Body, A>(typed, raw);
      return answerOf(typed, await refusalsAudited(entry.id, call, entry.handler));
    },
  };
}

/**
 * Runs a handler. What its command refuses an administrator is written to the audit log, as what `authorize` refuses
 * is.
 */
async function refusalsAudited<Input extends { readonly caller: Principal }, Data>(
  id: string,
  call: Input,
  handler: (call: Input) => Promise<Data>,
): Promise<Data> {
  try {
    return await handler(call);
  } catch (error) {
    if (error instanceof DomainError && error.code === "FORBIDDEN" && call.caller.kind === "admin")
      await auditRefusal(call.caller, id, { refused: error.message });
    throw error;
  }
}

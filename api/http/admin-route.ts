import type { Permission } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { AuditEntry } from "#shared/db/audit.ts";
import { answerOf, type Call, checkedCall, type Route, type RouteEntry, type Typed, type Untyped } from "./route.ts";

/** An operation of an admin API: only administrators whose role has the permission may call it. */
export interface AdminRoute extends Route {
  readonly auth: "admin";
  readonly permission: Permission;
  /** Absent when the operation only reads. */
  readonly audit?: Pick<AuditNote, "action">;
}

type AdminCall<Params, Query, Body> = Call<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>, AdminPrincipal>;

type AdminEntry<Params, Query, Body, Data> = Untyped &
  Omit<Typed<Params, Query, Body, Data, "admin", never>, "auth"> & { readonly permission: Permission };

/** The part of an audit entry that follows from the call: the action, `user.suspend`, and what it is done to. */
type AuditNote = Pick<AuditEntry, "action" | "target">;

/** How an audit note is made of a call. */
interface AuditRule<AuditedCall> {
  readonly action: string;
  readonly target: (call: AuditedCall) => AuditNote["target"];
}

/** Makes a route by which administrators read. It leaves no entry in the audit log. */
export function adminRead<Params = object, Query = object, Body = object, Data = unknown>(
  entry: AdminEntry<Params, Query, Body, Data> & {
    readonly method: "get";
    readonly audit?: never;
    readonly handler: (call: AdminCall<Params, Query, Body>) => Promise<NoInfer<Data>>;
  },
): AdminRoute {
  const typed = { ...entry, auth: "admin" } as const;
  return { ...typed, run: async (raw) => answerOf(typed, await entry.handler(checkedCall(typed, raw))) };
}

/** Makes a route by which administrators change something. The handler passes the audit note on to the command. */
export function adminWrite<Params = object, Query = object, Body = object, Data = unknown>(
  entry: AdminEntry<Params, Query, Body, Data> & {
    readonly method: Exclude<RouteEntry["method"], "get">;
    readonly audit: AuditRule<AdminCall<Params, Query, Body>>;
    readonly handler: (call: AdminCall<Params, Query, Body>, audit: AuditNote) => Promise<NoInfer<Data>>;
  },
): AdminRoute {
  const typed = { ...entry, auth: "admin" } as const;
  return {
    ...typed,
    run: async (raw) => {
      const call = checkedCall(typed, raw);
      const { action, target } = entry.audit;
      return answerOf(typed, await entry.handler(call, { action, target: target(call) }));
    },
  };
}

import { clientEvents } from "#shared/contracts/client-events.ts";
import type { Topic } from "#shared/contracts/domain-events.ts";
import { eventTopics } from "#shared/contracts/event-data.ts";
import type { Permission } from "#shared/contracts/permissions.ts";
import { managedOfExtension } from "#shared/domain/base/managed/managed-of-extension.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { hookedTargets, isHookTarget, setHookTargets } from "#shared/extension/hooks.ts";
import { isOn, type LoadedExtension, loadedExtensions } from "#shared/extension/loaded.ts";
import type { ExtensionRoute } from "#shared/extension/routes.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type ErrorCode, errorCodes } from "#shared/kernel/error-codes.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { adminRead, adminWrite } from "./http/admin-route.ts";
import type { Api } from "./http/api.ts";
import { type Route, route } from "./http/route.ts";

/** Returns the operations that extensions add for users, or for administrators. */
export const extensionRoutes = (audience: ExtensionRoute["for"]): Route[] =>
  loadedExtensions.flatMap((extension) =>
    (extension.parts.routes ?? []).filter((one) => one.for === audience).map((one) => routeOf(extension, one)),
  );

function routeOf(extension: LoadedExtension, given: ExtensionRoute): Route {
  const { for: _audience, handler, errors = [], ...entry } = given;
  const common = {
    ...entry,
    tag: extension.name,
    errors: [...new Set(["NOT_FOUND" as const, ...(errors as ErrorCode[])])],
    handler: async (call: never) => {
      // What is switched off doesn't exist.
      if (!isOn(extension)) throw new DomainError("NOT_FOUND");
      return handler(call);
    },
  };
  if (given.for === "users") return route({ ...common, auth: "user", extension: true } as never);
  const permission = `${extension.name}.${given.permission}` as Permission;
  const { action = "", target: type = "" } = given.audit ?? {};
  const audit = {
    action,
    target: ({ params }: { params: { id?: string } }) => ({ type, ...(params.id && { id: params.id }) }),
  };
  return given.method === "get"
    ? adminRead({ ...common, permission } as never)
    : adminWrite({ ...common, permission, audit } as never);
}

/** Returns the records of extensions that administrators manage, with the tags of their operations. */
export const extensionRecords = (): (readonly [ManagedResource, tag: string])[] =>
  loadedExtensions.flatMap(({ name, parts }) =>
    (parts.records ?? []).map((records) => [managedOfExtension(name, records), name] as const),
  );

/** Describes the tag of each extension that has operations of this audience. */
export const extensionTags = (audience: ExtensionRoute["for"]): Record<string, string> =>
  Object.fromEntries(
    loadedExtensions
      .filter(
        ({ parts }) => parts.routes?.some((one) => one.for === audience) || (audience !== "users" && parts.records),
      )
      .map(({ name, parts }) => [name, parts.summary]),
  );

/** @throws OperatorError for a hook of an operation, an action, or an event that doesn't exist, or two routes alike */
export function assertExtensionsFit(apis: readonly Api[]): void {
  setHookTargets(targetsOf(apis));
  const lost = hookedTargets().find(({ target }) => !isHookTarget(target));
  if (lost)
    throw new OperatorError(
      `The extension ${lost.by} has a hook of the ${lost.target.replace(":", " ")}, which doesn't exist.`,
    );
  for (const { name, parts } of loadedExtensions) {
    const topic = Object.keys(parts.after?.events ?? {}).find((one) => !eventTopics.includes(one as Topic));
    if (topic) throw new OperatorError(`The extension ${name} handles the event ${topic}, which doesn't exist.`);
    const code = (parts.routes ?? [])
      .flatMap(({ errors = [] }) => errors)
      .find((one) => !Object.hasOwn(errorCodes, one));
    if (code) throw new OperatorError(`The extension ${name} lists the error code ${code}, which doesn't exist.`);
  }
  for (const { routes } of apis) {
    const twice = (of: (route: Route) => string) => {
      const all = routes.map(of);
      return all.find((one, index) => all.indexOf(one) !== index);
    };
    const same = twice(({ id }) => id) ?? twice(({ method, path }) => `${method} ${path}`);
    if (same && loadedExtensions.length > 0) throw new OperatorError(`An extension has a route ${same}, which exists.`);
  }
}

/** What can have hooks: the operations of users and of key holders, and the actions of rooms, lobbies, and games. */
const targetsOf = (apis: readonly Api[]): ReadonlySet<string> =>
  new Set([
    ...apis.filter(({ isPrivate }) => !isPrivate).flatMap(({ routes }) => routes.map(({ id }) => `operation:${id}`)),
    ...Object.keys(clientEvents).map((action) => `action:${action}`),
  ]);

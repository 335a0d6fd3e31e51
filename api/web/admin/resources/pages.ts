import type { OperationDescription, Schema } from "../api-types.ts";
import { type OwnPage, ownPages } from "../own-pages.ts";

type Operation = OperationDescription;

/** A page that is made from the table of the admin API: what an operation reads, and what can be done with it. */
export interface GenericPage {
  /** As in the API: `/users`, `/users/:id` */
  readonly path: string;
  readonly read: Operation;
  /** Whether it lists records or shows one. */
  readonly isList: boolean;
  readonly create?: Operation;
  readonly update?: Operation;
  /** What is done with the record, or beside the list. */
  readonly actions: readonly Operation[];
  /** What is done with one record of a list. */
  readonly rowActions: readonly Operation[];
  /** What is done with several selected records of a list. */
  readonly bulkActions: readonly Operation[];
  /** The lists below, `/health/dead-jobs`, and own pages below. */
  readonly below: readonly { readonly path: string; readonly permission: string; readonly title?: string }[];
}

/** Where operations belong whose path doesn't say so. */
const homes: Readonly<Record<string, string>> = {
  setMaintenance: "/health",
  enrollSecondFactor: "/me",
  confirmSecondFactor: "/me",
  disableSecondFactor: "/me",
};

/** What the shell does: the login, and the menu of the account. */
export const shellOperations = ["logInAdmin", "logOutAdmin"];

/** What other parts of the console call. */
export const partOperations = ["listNames", "requestArtUpload", "completeArtUpload", "getArt", "deleteArt"];

const isRecordPath = (path: string): boolean => path.endsWith("/:id");
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

interface Source {
  readonly operations: readonly Operation[];
  resolved(schema: Schema): Schema;
}

/** Returns the pages that are made from the table, except those that own pages replace. */
export function genericPages(api: Source, own: readonly OwnPage[] = ownPages): readonly GenericPage[] {
  const taken = new Set<string>([
    ...own.flatMap(({ operations }) => operations),
    ...shellOperations,
    ...partOperations,
  ]);
  const isFree = ({ id }: Operation) => !taken.has(id);
  const reads = api.operations.filter(({ method }) => method === "get");
  const isListed = (path: string) => reads.some((read) => read.path === path);
  const writes = api.operations.filter((operation) => operation.method !== "get" && isFree(operation));

  const isList = ({ data }: Operation) => {
    const { type, properties } = api.resolved(data);
    return type === "array" || properties?.items !== undefined;
  };
  const isBulk = ({ body }: Operation) => body !== undefined && api.resolved(body).properties?.ids !== undefined;
  const homeOf = ({ id, path }: Operation) => {
    const home = [path, homes[id], parentOf(path)].find((one) => one && isListed(one));
    if (home) return { path: home, isRow: false };
    const record = isRecordPath(path) ? path : parentOf(path);
    return { path: parentOf(record), isRow: true };
  };
  const homed = writes.map((operation) => ({ operation, home: homeOf(operation) }));

  const pageOf = (read: Operation): GenericPage => {
    const { path } = read;
    const here = homed.filter(({ home }) => home.path === path);
    const ofPage = here.filter(({ home }) => !home.isRow).map(({ operation }) => operation);
    const rows = here.filter(({ home }) => home.isRow).map(({ operation }) => operation);
    const ofRecord = homed
      .filter(({ home }) => isRecordPath(home.path) && parentOf(home.path) === path)
      .map(({ operation }) => operation);
    const create = ofPage.find((operation) => operation.method === "post" && operation.path === path);
    const update = ofPage.find((operation) => operation.method === "patch" && operation.path === path);
    return {
      path,
      read,
      isList: isList(read),
      ...(create && { create }),
      ...(update && { update }),
      actions: ofPage.filter((operation) => operation !== create && operation !== update && !isBulk(operation)),
      rowActions: [...rows, ...ofRecord],
      bulkActions: ofPage.filter(isBulk),
      below: [
        ...reads.filter(isFree).map(({ path: other, permission }) => ({ path: other, permission })),
        ...own.map(({ path: other, permission, title }) => ({ path: other, permission, title })),
      ].filter((other) => parentOf(other.path) === path && !isRecordPath(other.path)),
    };
  };
  return reads.filter((read) => isFree(read) && !own.some(({ path }) => path === read.path)).map(pageOf);
}

/** Returns the operations that a page offers. */
export const operationsOn = ({
  read,
  create,
  update,
  actions,
  rowActions,
  bulkActions,
}: GenericPage): readonly string[] =>
  [read, create, update, ...actions, ...rowActions, ...bulkActions].flatMap((operation) => operation?.id ?? []);

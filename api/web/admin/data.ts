import { keepPreviousData, QueryCache, QueryClient, useMutation, useQuery } from "@tanstack/react-query";
import { HubbubError, isHubbubError, type Operations } from "../../../shared/client/admin.ts";
import type { Data, InputOf } from "../../../shared/client/rest.ts";
import { admin, type OperationId } from "./client.ts";
import { toast } from "./parts/toast.ts";

export type DataOf<Op extends OperationId> = Data<Operations, Op>;
export type Input<Op extends OperationId> = InputOf<Operations, Op>;

const listeners = new Set<() => void>();

/** Adds a listener for calls that the server refuses until the administrator sets up a second factor. */
export function onSecondFactorRequired(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const noteError = (error: unknown) => {
  if (isHubbubError(error, "MFA_REQUIRED")) for (const listener of listeners) listener();
};

/** Lost answers are repeated by the client already. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteError }),
  defaultOptions: { queries: { retry: false, staleTime: 5_000 }, mutations: { retry: false } },
});

interface ReadOptions<Read> {
  readonly enabled?: boolean;
  /** Reads again after so many milliseconds. */
  readonly refetchInterval?: number;
  /** Reads again every second while what was read says so. */
  readonly refetchWhile?: (read: Read) => boolean;
}

/** Calls any operation of the admin API, typed or found in its description. @throws HubbubError */
export const call = <Op extends OperationId>(operation: Op, input?: Input<Op>): Promise<DataOf<Op>> =>
  (admin.request as (operation: Op, input?: Input<Op>) => Promise<DataOf<Op>>)(operation, input);

/** Reads by an operation. While another page of a list loads, the one before stays. */
export const useRead = <Op extends OperationId>(
  operation: Op,
  input?: Input<Op>,
  { refetchWhile, ...options }: ReadOptions<DataOf<Op>> = {},
) =>
  useQuery<DataOf<Op>, Error>({
    queryKey: [operation, input ?? {}],
    queryFn: ({ signal }) => call(operation, { ...input, signal } as Input<Op>),
    placeholderData: keepPreviousData,
    ...(refetchWhile && {
      refetchInterval: ({ state: { data } }) => (data !== undefined && refetchWhile(data) ? 1000 : false),
    }),
    ...options,
  });

interface WriteOptions<Op extends OperationId> {
  /** Before anything is read again, which may remove the part of the page that wrote. */
  readonly onSuccess?: (data: DataOf<Op>) => void;
  /** Instead of a toast. */
  readonly onError?: (error: Error) => void;
}

/**
 * Writes by an operation. Afterwards, everything on the page is read again. What follows belongs in `onSuccess` or
 * after `mutateAsync`: the callbacks of `mutate` are lost with the part of the page that wrote.
 */
export const useWrite = <Op extends OperationId>(operation: Op, { onSuccess, onError }: WriteOptions<Op> = {}) =>
  useMutation<DataOf<Op>, Error, Input<Op>>({
    mutationFn: (input) => call(operation, input),
    onSuccess: (data, input) => {
      onSuccess?.(data);
      return readAgain(operation.startsWith("delete") ? idOf(input) : undefined);
    },
    onError: (error) => {
      noteError(error);
      (onError ?? toast.failed)(error);
    },
  });

const idOf = (input: unknown) => (input as { readonly params?: { readonly id?: unknown } } | undefined)?.params?.id;

/** Reads everything on the page again, except a record that was deleted: its page is about to close. */
function readAgain(deleted: unknown): Promise<void> {
  const isGone = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
    deleted !== undefined && String(idOf(queryKey[1])) === String(deleted);
  void queries.invalidateQueries({ predicate: isGone, refetchType: "none" });
  return queries.invalidateQueries({ predicate: (query) => !isGone(query) });
}

/** Returns what is wrong with the fields of a form, by their names. */
export const fieldErrors = (error: unknown): Record<string, string> =>
  error instanceof HubbubError ? Object.fromEntries(error.details.map(({ field, message }) => [field, message])) : {};

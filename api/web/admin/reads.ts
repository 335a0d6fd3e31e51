import { keepPreviousData, QueryCache, QueryClient, useMutation, useQuery } from "@tanstack/react-query";
import { HubbubError, isHubbubError } from "../../../shared/client/errors.ts";
import type { Data, InputOf, OperationTypes, Rest } from "../../../shared/client/rest.ts";
import { toast } from "./parts/toast.ts";

const listeners = new Set<() => void>();

/** Adds a listener for calls that the server refuses until the caller sets up a second factor. */
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

interface WriteOptions<Written> {
  /** Before anything is read again, which may remove the part of the page that wrote. */
  readonly onSuccess?: (data: Written) => void;
  /** Instead of a toast. */
  readonly onError?: (error: Error) => void;
}

/** What the parts of a page read and write by the client of an API. */
export function dataOf<Ops extends OperationTypes>(request: Rest<Ops>["request"]) {
  type Id = keyof Ops & string;

  /** Calls any operation, typed or found in the description of the API. @throws HubbubError */
  const call = <Op extends Id>(operation: Op, input?: InputOf<Ops, Op>): Promise<Data<Ops, Op>> =>
    (request as (operation: Op, input?: InputOf<Ops, Op>) => Promise<Data<Ops, Op>>)(operation, input);

  /** Reads by an operation. While another page of a list loads, the one before stays. */
  const useRead = <Op extends Id>(
    operation: Op,
    input?: InputOf<Ops, Op>,
    { refetchWhile, ...options }: ReadOptions<Data<Ops, Op>> = {},
  ) =>
    useQuery<Data<Ops, Op>, Error>({
      queryKey: [operation, input ?? {}],
      queryFn: ({ signal }) => call(operation, { ...input, signal } as InputOf<Ops, Op>),
      placeholderData: keepPreviousData,
      ...(refetchWhile && {
        refetchInterval: ({ state: { data } }) => (data !== undefined && refetchWhile(data) ? 1000 : false),
      }),
      ...options,
    });

  /**
   * Writes by an operation. Afterwards, everything on the page is read again. What follows belongs in `onSuccess` or
   * after `mutateAsync`: the callbacks of `mutate` are lost with the part of the page that wrote.
   */
  const useWrite = <Op extends Id>(operation: Op, { onSuccess, onError }: WriteOptions<Data<Ops, Op>> = {}) =>
    useMutation<Data<Ops, Op>, Error, InputOf<Ops, Op>>({
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

  return { call, useRead, useWrite };
}

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

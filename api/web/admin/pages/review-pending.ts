import { useCallback, useEffect, useRef, useState } from "react";
import { queries } from "../data.ts";
import { toast } from "../parts/toast.ts";

/** Milliseconds during which a decision can be undone. */
const undoMs = 6_000;

/** A decision that hasn't been sent yet. */
export interface Pending {
  /** Of what it is about. */
  readonly id: string;
  /** What was decided, in words. */
  readonly said: string;
  readonly send: () => Promise<unknown>;
}

/**
 * Keeps decisions back for a moment in which they can be undone: what the server has done can't be. They are sent at
 * once when the administrator leaves the page.
 */
export function usePending() {
  /** Those that wait, and those that are being sent. */
  const [pending, setPending] = useState<readonly (Pending & { readonly isSent?: true })[]>([]);
  const waiting = useRef(new Map<string, { readonly one: Pending; readonly timer: ReturnType<typeof setTimeout> }>());

  const send = useCallback(async (id: string) => {
    const found = waiting.current.get(id);
    if (!found) return;
    waiting.current.delete(id);
    clearTimeout(found.timer);
    setPending((all) => all.map((one) => (one.id === id ? { ...one, isSent: true } : one)));
    await found.one.send().catch(toast.failed);
    await queries.invalidateQueries();
    setPending((all) => all.filter((one) => one.id !== id));
  }, []);

  const add = (one: Pending) => {
    waiting.current.set(one.id, { one, timer: setTimeout(() => void send(one.id), undoMs) });
    setPending((all) => [...all, one]);
  };

  const undo = (): string | undefined => {
    const [id, last] = [...waiting.current].at(-1) ?? [];
    if (!id || !last) return undefined;
    waiting.current.delete(id);
    clearTimeout(last.timer);
    setPending((all) => all.filter((one) => one.id !== id));
    return id;
  };

  useEffect(() => {
    const { current } = waiting;
    const sendAll = (): number => {
      const ids = [...current.keys()];
      for (const id of ids) void send(id);
      return ids.length;
    };
    const leave = (event: BeforeUnloadEvent) => {
      if (sendAll() > 0) event.preventDefault();
    };
    addEventListener("beforeunload", leave);
    return () => {
      removeEventListener("beforeunload", leave);
      sendAll();
    };
  }, [send]);

  return {
    add,
    undo,
    isPending: (id: string) => pending.some((one) => one.id === id),
    /** The latest that can be undone. */
    last: pending.findLast(({ isSent }) => !isSent),
  };
}

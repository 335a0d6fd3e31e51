import { createContext, useCallback, useContext, useEffect, useReducer, useState, useSyncExternalStore } from "react";
import { isHubbubError } from "../../../shared/client/client.ts";
import type { Person, PersonState } from "./person.ts";

export const PersonContext = createContext<Person | null>(null);

/** The person whose phone this is. */
export function usePerson(): Person {
  const person = useContext(PersonContext);
  if (!person) throw new Error("a phone has a person");
  return person;
}

export const usePersonState = (person: Person): PersonState =>
  useSyncExternalStore(person.subscribe, () => person.state);

interface Live {
  on(name: "change", listener: () => void): () => void;
}

/** Renders again whenever a live room, lobby, or game changes. */
export function useLive(live: Live | null | undefined): void {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (!live) return;
    const off = live.on("change", again);
    again();
    return off;
  }, [live]);
}

/** Loads something, and again with `reload`. While it loads again, the old data stay. */
export function useLoaded<T>(load: () => Promise<T>): { data: T | undefined; reload: () => void } {
  const person = usePerson();
  const [data, setData] = useState<T>();
  // `load` is a new function at each render, so callers give it a key on the component instead.
  const reload = useCallback(() => {
    load().then(setData, (error: unknown) => {
      if (!isHubbubError(error)) throw error;
      person.say(error.message, true);
    });
  }, [person]);
  useEffect(reload, [reload]);
  return { data, reload };
}

/** Runs a listener on events of the person's connection. */
export function useEvents(names: readonly string[], listener: (payload: unknown, event: string) => void): void {
  const { hubbub } = usePerson();
  useEffect(() => hubbub.onAny((event, payload) => void (names.includes(event) && listener(payload, event))), [hubbub]);
}

/** Seconds until a time, counted down; 0 afterwards. */
export function useCountdown(until: string | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return until ? Math.max(0, Math.ceil((Date.parse(until) - now) / 1000)) : 0;
}

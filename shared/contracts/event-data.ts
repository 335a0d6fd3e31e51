import type Joi from "joi";
import type { Topic } from "./domain-events.ts";
import { eventKinds } from "./event-kinds.ts";

/** The names of all kinds, sorted. */
export const eventTopics = (Object.keys(eventKinds) as Topic[]).toSorted();

/** A kind without what depends on the topic. */
interface AnyKind {
  readonly version: number;
  readonly summary: string;
  readonly key: string;
  readonly fields: Readonly<Record<string, Joi.AnySchema>>;
  readonly reshape?: (payload: object) => Readonly<Record<string, unknown>>;
}

export const kindOf = (topic: Topic): AnyKind => eventKinds[topic] as unknown as AnyKind;

const shapeOf = ({ reshape }: AnyKind, payload: object) => (reshape?.(payload) ?? payload) as Record<string, unknown>;

/** Returns what events are ordered by: the ID of a user, a room, a conversation. */
export function keyOfEvent(topic: Topic, payload: object): string {
  const kind = kindOf(topic);
  return String(shapeOf(kind, payload)[kind.key]);
}

/** Returns the data of an event as they are shown outside. */
export function publicData(topic: Topic, payload: object): Record<string, unknown> {
  const kind = kindOf(topic);
  const shape = shapeOf(kind, payload);
  return Object.fromEntries(Object.keys(kind.fields).flatMap((name) => (name in shape ? [[name, shape[name]]] : [])));
}

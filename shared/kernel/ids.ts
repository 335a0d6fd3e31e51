import { v7, validate } from "uuid";

/** A new id: UUIDv7, so that ids sort by the time they were made and serve as cursors. */
export const newId = (): string => v7();

export const isId = (value: unknown): value is string => typeof value === "string" && validate(value);

import { isIP } from "node:net";
import Joi from "joi";
import { type Infer, type Optional, optional, withDefault } from "#shared/contracts/fields.ts";
import { redisAddress } from "#shared/kernel/redis-address.ts";

/** Building blocks of the environment schema. */

/** How a value is printed: as it is ("open"), as a URL without its password ("address"), or masked ("secret"). */
export type Secrecy = "open" | "address" | "secret";

export interface About {
  /** What the variable is for. */
  purpose: string;
  /** The expected value, in words. Shown in the error if the value is invalid. */
  wanted: string;
  example: string;
  secrecy?: Secrecy;
  /** The default, if any. */
  fallback?: unknown;
}

/** Adds the documentation of a variable, and its default. An empty variable counts as not set. */
export function about<S extends Joi.AnySchema>(schema: S, documented: About & { fallback: Infer<S> }): S;
export function about<S extends Joi.AnySchema>(schema: S, documented: About & { fallback?: never }): S & Optional;
export function about(schema: Joi.AnySchema, documented: About): Joi.AnySchema {
  const made = schema.empty("").meta({ secrecy: "open", ...documented });
  return documented.fallback === undefined ? optional(made) : withDefault(made, documented.fallback);
}

/** Returns a schema for one of these values. */
export const choice = <const Values extends readonly string[]>(...values: Values) =>
  Joi.string<Values[number]>().valid(...values);

/** Returns a schema for text that passes a test. */
export const passing = (test: (value: string) => boolean) =>
  Joi.string().custom((value: string, helpers) => (test(value) ? value : helpers.error("any.invalid")));

/** Returns a schema for a URL with one of these schemes, such as `postgres:`. */
export const address = (...schemes: string[]) =>
  passing((value) => {
    const { protocol, hostname } = URL.parse(value) ?? {};
    return hostname !== "" && schemes.includes(`${protocol}`);
  });

/** Is it an address of Redis, in one of its forms? */
export function isRedisAddress(text: string): boolean {
  try {
    return redisAddress(text).hosts.length > 0;
  } catch {
    return false;
  }
}

/** Is it an IP address or a network, such as `10.0.0.0/8`? */
export function isNetwork(text: string): boolean {
  const [address = "", bits = "0", ...rest] = text.split("/");
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
}

/** Returns a schema for comma-separated values, without duplicates. */
export const commaList = <Member extends string = string>(isMember: (member: string) => boolean) =>
  Joi.string<Member[]>().custom((value: string, helpers) => {
    const members = [...new Set(value.split(",").map((member) => member.trim()))];
    return members.every(isMember) ? members : helpers.error("any.invalid");
  });

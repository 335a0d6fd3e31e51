import Joi from "joi";

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
}

/** Adds the documentation of a variable. An empty variable counts as not set. */
export const about = <S extends Joi.Schema>(schema: S, { purpose, wanted, example, secrecy = "open" }: About): S =>
  schema.empty("").description(purpose).example(example).meta({ wanted, secrecy }) as S;

/** Returns a schema for a URL with one of these schemes, such as `postgres:`. */
export const address = (...schemes: string[]) =>
  Joi.string().custom((value: string, helpers) => {
    const { protocol, hostname } = URL.parse(value) ?? {};
    return hostname && schemes.includes(`${protocol}`) ? value : helpers.error("any.invalid");
  });

/** Returns a schema for comma-separated values, without duplicates. */
export const commaList = (isMember: (member: string) => boolean) =>
  Joi.string().custom((value: string, helpers) => {
    const members = [...new Set(value.split(",").map((member) => member.trim()))];
    return members.every(isMember) ? members : helpers.error("any.invalid");
  });

import Joi from "joi";

/** What the variables of the environment are put together from. */

/** What may be shown of a value: all of it, an address without its password, or only that there is one. */
export type Secrecy = "open" | "address" | "secret";

export interface About {
  /** What it is for, one sentence. */
  purpose: string;
  /** What it may be, in words; said when it is not. */
  wanted: string;
  example: string;
  secrecy?: Secrecy;
}

/** Adds what is said of a variable; a variable that is set to nothing is not set. */
export const about = <S extends Joi.Schema>(schema: S, { purpose, wanted, example, secrecy = "open" }: About): S =>
  schema.empty("").description(purpose).example(example).meta({ wanted, secrecy }) as S;

/** An address of one of these schemes, such as `postgres:`. */
export const address = (...schemes: string[]) =>
  Joi.string().custom((value: string, helpers) => {
    const { protocol, hostname } = URL.parse(value) ?? {};
    return hostname && schemes.includes(`${protocol}`) ? value : helpers.error("any.invalid");
  });

/** Members separated by commas, each only once. */
export const commaList = (isMember: (member: string) => boolean) =>
  Joi.string().custom((value: string, helpers) => {
    const members = [...new Set(value.split(",").map((member) => member.trim()))];
    return members.every(isMember) ? members : helpers.error("any.invalid");
  });

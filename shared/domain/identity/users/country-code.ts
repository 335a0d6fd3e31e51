import Joi from "joi";
import { countries } from "./countries.ts";

/** Schema of a country, which becomes upper case. */
export const countryCode = () =>
  Joi.string()
    .pattern(/^[A-Za-z]{2}$/)
    .custom((value: string, { error }) => {
      const code = value.toUpperCase();
      return countries.has(code) ? code : error("string.pattern.base");
    })
    .messages({ "string.pattern.base": "{{#label}} must be an ISO 3166-1 alpha-2 country code, such as IN" })
    .description("ISO 3166-1 alpha-2 code, in upper or lower case. Stored in upper case.")
    .example("IN");

import { parsePhoneNumberFromString } from "libphonenumber-js/max";

/** Returns whether a number in E.164 can exist: its country has numbers of this length and beginning. */
export const canExist = (number: string): boolean => parsePhoneNumberFromString(number)?.isValid() ?? false;

/**
 * Returns the country of a number in E.164, ISO 3166-1 alpha-2; undefined if its calling code is of no country alone.
 */
export const countryOfNumber = (number: string): string | undefined => parsePhoneNumberFromString(number)?.country;

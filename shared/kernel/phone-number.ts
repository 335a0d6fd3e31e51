import { parsePhoneNumberFromString } from "libphonenumber-js/max";

/** Returns whether a number in E.164 can exist: its country has numbers of this length and beginning. */
export const canExist = (number: string): boolean => parsePhoneNumberFromString(number)?.isValid() ?? false;

/**
 * Returns the country of a number in E.164, ISO 3166-1 alpha-2; undefined if its calling code is of no country alone.
 */
export const countryOfNumber = (number: string): string | undefined => parsePhoneNumberFromString(number)?.country;

/**
 * Returns the number that a person has written as one does, such as `+91 98765-43210` or `0091 98765 43210`, in E.164;
 * undefined for other texts.
 */
export function writtenNumber(text: string): string | undefined {
  if (!/^\s*(\+|00)[\d\s().-]{6,24}$/.test(text)) return undefined;
  const number = parsePhoneNumberFromString(text.trim().replace(/^00/, "+"));
  return number?.isValid() ? number.number : undefined;
}

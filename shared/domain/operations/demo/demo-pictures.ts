import { publicAddress } from "#shared/kernel/public-address.ts";

/** `Birthday cake` → `birthday-cake` */
export const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** Returns the address of a small picture that the service ships for the demo data, see `api/web/art`. */
export const demoPicture = (
  folder: "badges" | "catalogue" | "events" | "frames" | "gifts" | "posts" | "stickers",
  name: string,
  ending: "svg" | "json" = "svg",
): string => `${publicAddress()}/art/${folder}/${slugOf(name)}.${ending}`;

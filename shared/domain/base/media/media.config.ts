import { assert } from "#shared/kernel/assert.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";
import type { MediaStore } from "./stores/media-store.ts";

/** What the features of media need. */
export interface MediaConfiguration {
  readonly store: MediaStore;
  /** Signs the addresses of uploads and of private files. The same in all processes. */
  readonly key: string;
  /** Where public files are read, such as a CDN in front of the store. Default: this service. */
  readonly publicUrl?: string | undefined;
}

let configuration: MediaConfiguration | undefined;

export function configureMedia(given: MediaConfiguration): void {
  configuration = given;
}

function configured(): MediaConfiguration {
  assert(configuration, "media are configured");
  return configuration;
}

export const mediaStore = (): MediaStore => configured().store;
export const mediaKey = (): string => configured().key;
/** Origins that pages load pictures from, or send bytes to, besides this service. For their content policies. */
export const mediaOrigins = (): string[] => {
  const { store, publicUrl } = configured();
  return [store.origin, publicUrl && new URL(publicUrl).origin].filter((origin) => origin !== undefined);
};
export const publicMediaUrl = (): string => configured().publicUrl ?? publicAddress();

import { type FcmConfig, FcmProvider } from "./fcm.ts";
import type { PushProvider } from "./push.provider.ts";

let provider: PushProvider | undefined;

/** Says who carries pushes; once, at start. Undefined: nobody, and nothing is pushed. */
export function configurePush(fcm: FcmConfig | undefined): void {
  provider = fcm && new FcmProvider(fcm);
}

export const pushProvider = (): PushProvider | undefined => provider;

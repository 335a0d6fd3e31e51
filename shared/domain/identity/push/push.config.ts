import { type FcmConfig, FcmProvider } from "./fcm.ts";
import type { PushProvider } from "./push.provider.ts";

let provider: PushProvider | undefined;

/** Sets the push provider; called at the start. Without one, nothing is pushed. */
export function configurePush(fcm: FcmConfig | undefined): void {
  provider = fcm && new FcmProvider(fcm);
}

export const pushProvider = (): PushProvider | undefined => provider;

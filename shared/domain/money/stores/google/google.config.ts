import { DomainError } from "#shared/kernel/domain-error.ts";
import type { GooglePlayApp } from "./google-client.ts";
import { GooglePlayClient } from "./google-client.ts";
import { type NoticeSender, NoticeSenderCheck } from "./google-notice.ts";

export interface GooglePlaySetup extends GooglePlayApp {
  /** Who sends notices. If absent, none are accepted. */
  readonly sender?: NoticeSender;
  /** Production refuses purchases of license testers; everything else accepts only them. */
  readonly production: boolean;
  /** Timeout of one response, milliseconds; for tests. */
  readonly timeoutMs?: number;
}

interface GooglePlay {
  readonly packageName: string;
  readonly client: GooglePlayClient;
  readonly sender: NoticeSenderCheck | undefined;
  readonly environment: "production" | "sandbox";
}

/** Pub/Sub waits for 10 s, and a look takes two calls. */
const usualTimeoutMs = 4000;
let configured: GooglePlay | undefined;

/** Sets the app at Google Play. If undefined, nothing can be bought there. */
export function configureGooglePlay(setup: GooglePlaySetup | undefined): void {
  configured = setup && {
    packageName: setup.packageName,
    client: new GooglePlayClient(setup, setup.timeoutMs ?? usualTimeoutMs),
    sender: setup.sender && new NoticeSenderCheck(setup.sender),
    environment: setup.production ? "production" : "sandbox",
  };
}

export const hasGooglePlay = (): boolean => configured !== undefined;

/** Returns the app at Google Play. @throws NOT_FOUND when it isn't configured */
export function googlePlay(): GooglePlay {
  if (!configured) throw new DomainError("NOT_FOUND", "This payment provider isn't available.");
  return configured;
}

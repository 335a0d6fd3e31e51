import { setting } from "#shared/domain/base/settings/settings.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

/** How this process records the audio of seats. */
export interface EvidenceSetup {
  /** Where encrypted pieces are while their room lives. Processes may share it, but needn't. */
  readonly folder: string;
  /** Where the media server reaches this service: ws(s)://. Default: the public address. */
  readonly url?: string | undefined;
}

let configured: EvidenceSetup | undefined;

/** Configures the recording of seats; called once, at start. Undefined: there is no media server to record from. */
export function configureEvidence(setup: EvidenceSetup | undefined): void {
  configured = setup;
}

/** Returns whether the audio of seats is kept, as members are told. Reads memory only. */
export const keepsVoice = (): boolean => configured !== undefined && setting("voice_evidence");

export const evidenceFolder = (): string | undefined => configured?.folder;

/** Returns the address that the media server connects to, without a path. */
export const evidenceAddress = (): string => (configured?.url ?? publicAddress()).replace(/^http/, "ws");

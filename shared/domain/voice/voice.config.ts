import { RoomServiceClient } from "livekit-server-sdk";
import { voiceNotConfigured } from "./voice.errors.ts";

/** Where the media server (LiveKit) is, and the pair of keys that it trusts. `url` is ws(s):// or http(s)://. */
export interface VoiceCredentials {
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** All in milliseconds. */
export interface VoiceTimings {
  /** How long one call to the media server may take. */
  readonly callTimeoutMs: number;
  /** How often the worker looks for work by itself; commits in its own process wake it. */
  readonly pollMs: number;
  /** The longest pause between two tries to carry one right over. */
  readonly retryMaxMs: number;
  /** For how long one try owns its person. Longer than a try can take: an answer of the actor and one call. */
  readonly leaseMs: number;
  /** How often a room's media participants are compared with its members. */
  readonly watchEveryMs: number;
  /**
   * For how long somebody may stay connected to the media who is in the room no more, though nothing put him out: its actor
   * has died, and he has the room's usual grace to come back.
   */
  readonly absentForMs: number;
  /**
   * For how long after the last participant was seen, or the last token was issued. LiveKit gives everybody who is connected
   * a new token every 5 minutes, good for 10 (pkg/service/roommanager.go), with the rights of that moment; and it takes a
   * token for one minute longer than it says. Until then somebody may come back with rights that he has lost.
   */
  readonly watchForMs: number;
}

const usual: VoiceTimings = {
  callTimeoutMs: 2000,
  pollMs: 500,
  retryMaxMs: 10_000,
  leaseMs: 15_000,
  watchEveryMs: 5000,
  absentForMs: 30_000,
  watchForMs: 12 * 60_000,
};

interface Voice extends VoiceCredentials {
  /** For clients. */
  readonly wsUrl: string;
  readonly rooms: RoomServiceClient;
  readonly timings: VoiceTimings;
}

let configured: Voice | undefined;

/** Says where the media server is; once, at start. Undefined: this service has no voice. Timings are for tests. */
export function configureVoice(credentials: VoiceCredentials | undefined, timings: Partial<VoiceTimings> = {}): void {
  configured = credentials && makeVoice(credentials, { ...usual, ...timings });
}

function makeVoice(credentials: VoiceCredentials, timings: VoiceTimings): Voice {
  const { url, apiKey, apiSecret } = credentials;
  const address = url.replace(/\/+$/, "");
  const rooms = new RoomServiceClient(address.replace(/^ws/, "http"), apiKey, apiSecret, {
    requestTimeout: timings.callTimeoutMs / 1000,
    failover: false, // Tries again are our own: they survive a restart.
  });
  return { ...credentials, wsUrl: address.replace(/^http/, "ws"), rooms, timings };
}

export const voiceConfigured = (): boolean => configured !== undefined;

/** @throws VOICE_NOT_CONFIGURED */
export function voice(): Voice {
  if (!configured) throw voiceNotConfigured();
  return configured;
}

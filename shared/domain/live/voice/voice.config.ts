import { EgressClient, RoomServiceClient } from "livekit-server-sdk";
import { voiceNotConfigured } from "./voice.errors.ts";

/** Address of the media server (LiveKit), and a key pair that it trusts. `url` is ws(s):// or http(s)://. */
export interface VoiceCredentials {
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** All in milliseconds. */
export interface VoiceTimings {
  /** Timeout of one call to the media server. */
  readonly callTimeoutMs: number;
  /** Interval at which the worker polls for work. Commits in its own process wake it earlier. */
  readonly pollMs: number;
  /** Longest pause between two attempts to carry over one right. */
  readonly retryMaxMs: number;
  /** Lease of one attempt. Longer than an attempt can take: one reply of the actor and one call. */
  readonly leaseMs: number;
  /** Interval at which a room's media participants are compared with its members. */
  readonly watchEveryMs: number;
  /**
   * Grace period for users who are connected to the media but no longer in the room, although nothing removed them: the
   * room's actor has died, and they have the usual time to come back.
   */
  readonly absentForMs: number;
  /**
   * How long a room is watched after its last participant was seen, or its last token was issued. LiveKit gives every
   * connected participant a new token every 5 minutes, valid for 10 (pkg/service/roommanager.go), with the rights of
   * that moment, and accepts a token for one minute past its expiry. Until then, a user may come back with rights that
   * they have lost.
   */
  readonly watchForMs: number;
  /** How long a track whose recording was begun isn't begun again, whatever became of it. */
  readonly recordAgainMs: number;
}

const usual: VoiceTimings = {
  callTimeoutMs: 2000,
  pollMs: 500,
  retryMaxMs: 10_000,
  leaseMs: 15_000,
  watchEveryMs: 5000,
  absentForMs: 30_000,
  watchForMs: 12 * 60_000,
  recordAgainMs: 30_000,
};

interface Voice extends VoiceCredentials {
  /** The address for clients. */
  readonly wsUrl: string;
  readonly rooms: RoomServiceClient;
  readonly egress: EgressClient;
  readonly timings: VoiceTimings;
}

let configured: Voice | undefined;

/** Configures the media server; called once, at start. Undefined: this service has no voice. Timings are for tests. */
export function configureVoice(credentials: VoiceCredentials | undefined, timings: Partial<VoiceTimings> = {}): void {
  configured = credentials && makeVoice(credentials, { ...usual, ...timings });
}

function makeVoice(credentials: VoiceCredentials, timings: VoiceTimings): Voice {
  const { url, apiKey, apiSecret } = credentials;
  const address = url.replace(/\/+$/, "");
  const client = [
    address.replace(/^ws/, "http"),
    apiKey,
    apiSecret,
    {
      requestTimeout: timings.callTimeoutMs / 1000,
      failover: false, // Tries again are our own: they survive a restart.
    },
  ] as const;
  const [rooms, egress] = [new RoomServiceClient(...client), new EgressClient(...client)];
  return { ...credentials, wsUrl: address.replace(/^http/, "ws"), rooms, egress, timings };
}

export const voiceConfigured = (): boolean => configured !== undefined;

/** Returns the configuration. @throws VOICE_NOT_CONFIGURED */
export function voice(): Voice {
  if (!configured) throw voiceNotConfigured();
  return configured;
}

import { WebSocket } from "ws";
import { newId } from "#shared/kernel/ids.ts";

/** A request to send a track to a WebSocket, in protobuf's JSON encoding. */
export interface TrackEgressInput {
  readonly roomName: string;
  readonly trackId: string;
  readonly websocketUrl: string;
}

/** What its calls name. */
export interface EgressInput extends Partial<TrackEgressInput> {
  readonly egressId?: string;
  readonly active?: boolean;
}

/** A track that is sent to a WebSocket, as LiveKit's egress service does: `pcm_s16le`, 48 kHz, stereo. */
export class FakeRecording {
  readonly egressId = `EG_${newId()}`;
  readonly input: TrackEgressInput;
  status: "EGRESS_STARTING" | "EGRESS_ACTIVE" | "EGRESS_COMPLETE" | "EGRESS_FAILED" = "EGRESS_STARTING";
  readonly #socket: WebSocket;

  constructor(input: TrackEgressInput) {
    this.input = input;
    this.#socket = new WebSocket(input.websocketUrl, { headers: { "Content-Type": "audio/x-raw" } });
    this.#socket.on("open", () => {
      this.status = "EGRESS_ACTIVE";
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      if (this.status !== "EGRESS_COMPLETE") this.status = "EGRESS_FAILED";
    });
  }

  get isActive(): boolean {
    return this.status === "EGRESS_STARTING" || this.status === "EGRESS_ACTIVE";
  }

  send(audio: Buffer): void {
    for (let at = 0; at < audio.length; at += 3840) this.#socket.send(audio.subarray(at, at + 3840));
  }

  mute(muted: boolean): void {
    this.#socket.send(JSON.stringify({ muted }));
  }

  stop(): void {
    this.status = "EGRESS_COMPLETE";
    this.#socket.close();
  }

  get info(): object {
    return { egressId: this.egressId, roomName: this.input.roomName, status: this.status, track: this.input };
  }
}

/** LiveKit's egress service: its API, and what it sends. */
export class FakeEgress {
  readonly recordings: FakeRecording[] = [];

  /** Returns what an API call answers, or undefined if it is unknown. */
  perform(method: string, input: EgressInput): object | undefined {
    if (method === "StartTrackEgress") return this.start(input as TrackEgressInput).info;
    const found = this.recordings.filter(
      ({ egressId, input: { roomName }, isActive }) =>
        (!input.egressId || input.egressId === egressId) &&
        (!input.roomName || input.roomName === roomName) &&
        (!input.active || isActive),
    );
    if (method === "ListEgress") return { items: found.map(({ info }) => info) };
    if (method !== "StopEgress" || !found[0]) return undefined;
    found[0].stop();
    return found[0].info;
  }

  start(input: TrackEgressInput): FakeRecording {
    const recording = new FakeRecording(input);
    this.recordings.push(recording);
    return recording;
  }

  /** The recordings that run, of a track or of all. */
  active(trackId?: string): FakeRecording[] {
    return this.recordings.filter(({ input, isActive }) => isActive && (!trackId || input.trackId === trackId));
  }

  /** Ends those of tracks that are no longer there. */
  endAll(trackIds: readonly string[]): void {
    for (const recording of this.active()) if (trackIds.includes(recording.input.trackId)) recording.stop();
  }

  stop(): void {
    for (const recording of this.active()) recording.stop();
  }
}

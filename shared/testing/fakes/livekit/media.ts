import {
  MediaStreamTrack,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RTCRtpHeaderExtensionParameters,
  type RTCRtpTransceiver,
  RTP_EXTENSION_URI,
  type RtpPacket,
} from "werift";

const extension = (uri: string) => new RTCRtpHeaderExtensionParameters({ uri });
const { sdesMid, audioLevelIndication } = RTP_EXTENSION_URI;

/** One packet of a client's audio, and its level as the client measured it: 0 is the loudest, 127 is silence. */
export interface Heard {
  readonly packet: RtpPacket;
  readonly level: number;
}

/** Audio for a client to hear. `id` is the track's SID, `streamId` what the client recognizes it by. */
export interface Sent {
  readonly id: string;
  readonly streamId: string;
  readonly audio: MediaStreamTrack;
}

export interface Answer {
  readonly sdp: string;
  /** Which track each media section carries to the client, by the section's `mid`. */
  readonly midToTrackId: Record<string, string>;
  /** The tracks that the client sends, by its own IDs (`cid`). */
  readonly sentByClient: ReadonlySet<string>;
}

/** The server's end of one client's peer connection: UDP on loopback. The client makes all offers. */
export class Media {
  readonly #peer = new RTCPeerConnection({
    codecs: {
      audio: [new RTCRtpCodecParameters({ mimeType: "audio/opus", clockRate: 48_000, channels: 2, payloadType: 111 })],
      // Accepted in the description and never used, as on a server that could also carry video.
      video: [new RTCRtpCodecParameters({ mimeType: "video/VP8", clockRate: 90_000, payloadType: 96 })],
    },
    headerExtensions: { audio: [extension(sdesMid), extension(audioLevelIndication)], video: [extension(sdesMid)] },
    iceLite: true,
    iceUseIpv6: false,
    iceUseTcp: false,
    iceInterfaceAddresses: { udp4: "127.0.0.1" },
    iceAdditionalHostAddresses: ["127.0.0.1"],
  });
  readonly #sections = new Map<RTCRtpTransceiver, Sent>();
  readonly #waiting = new Map<string, Sent>();

  /** `onAudio` is called for each packet with the client's ID of its track. */
  constructor(onAudio: (cid: string, heard: Heard) => void) {
    this.#peer.onRemoteTransceiverAdded.subscribe((section) => {
      section.onTrack.subscribe((track) => {
        track.onReceiveRtp.subscribe((packet, extensions) => {
          const level = (extensions?.[audioLevelIndication] as { level: number } | undefined)?.level ?? 127;
          onAudio(section.receiver.remoteTrackId ?? "", { packet, level });
        });
      });
    });
  }

  /** Sends a track with the next offer of the client. */
  send(track: Sent): void {
    this.#waiting.set(track.id, track);
  }

  /** Sends a track no longer. The client's next offer frees its media section. */
  stopSending(trackId: string): void {
    this.#waiting.delete(trackId);
    for (const [section, { id }] of this.#sections) if (id === trackId) section.sender.detachTrack();
  }

  async answer(offer: string): Promise<Answer> {
    await this.#peer.setRemoteDescription({ type: "offer", sdp: offer });
    for (const section of this.#peer.getTransceivers()) await this.#direct(section);
    await this.#peer.setLocalDescription(await this.#peer.createAnswer());
    const midToTrackId = Object.fromEntries([...this.#sections].map(([{ mid }, { id }]) => [mid ?? "", id]));
    const sending = this.#peer.getTransceivers().filter(({ direction }) => direction === "recvonly");
    const sentByClient = new Set(sending.map(({ receiver }) => receiver.remoteTrackId ?? ""));
    return { sdp: this.#peer.localDescription!.sdp, midToTrackId, sentByClient };
  }

  /** The number of tracks that wait for a media section. */
  get waiting(): number {
    return this.#waiting.size;
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  /**
   * Decides what a section carries. One that has carried a track is unused for one offer, so that the client notices.
   */
  async #direct(section: RTCRtpTransceiver): Promise<void> {
    const { offerDirection, kind, sender } = section;
    if (offerDirection !== "sendonly") {
      section.setDirection(kind === "audio" && offerDirection === "recvonly" ? "recvonly" : "inactive");
      return;
    }
    const current = this.#sections.get(section);
    if (current && sender.track) return;
    this.#sections.delete(section);
    const [next] = this.#waiting.values();
    if (current || !next || kind !== "audio") {
      section.setDirection("inactive");
      return;
    }
    this.#waiting.delete(next.id);
    this.#sections.set(section, next);
    sender.streamIds = [next.streamId];
    await sender.replaceTrack(next.audio);
    section.setDirection("sendonly");
  }
}

/** Audio that is passed on: each packet that is written goes to all who are sent the track. */
export const newAudio = (): MediaStreamTrack => new MediaStreamTrack({ kind: "audio" });

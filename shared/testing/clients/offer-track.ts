import { AddTrackRequest, SignalRequest, SignalResponse, TrackSource, TrackType } from "@livekit/protocol";
import type { VoiceToken } from "#shared/domain/live/voice/issue-voice-token.ts";

/**
 * Connects to LiveKit and offers it a microphone, even if the token doesn't allow that: unlike the real client, which
 * asks only for what it may do. Returns the kind of LiveKit's response: `trackPublished`, or `requestResponse` for an
 * error.
 */
export async function offerTrack({ wsUrl, token }: VoiceToken): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = new WebSocket(`${wsUrl}/rtc/v1?access_token=${token}`);
  socket.binaryType = "arraybuffer";
  socket.onerror = () => reject(new Error("LiveKit did not accept the connection"));
  socket.onmessage = ({ data }: MessageEvent) => {
    const { message } = SignalResponse.fromBinary(new Uint8Array(data as ArrayBuffer));
    if (message.case === "join") {
      const value = new AddTrackRequest({ cid: "1", type: TrackType.AUDIO, source: TrackSource.MICROPHONE });
      socket.send(new SignalRequest({ message: { case: "addTrack", value } }).toBinary());
    }
    if (message.case === "trackPublished" || message.case === "requestResponse") resolve(message.case);
  };
  return promise.finally(() => socket.close());
}

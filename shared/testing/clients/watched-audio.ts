import type { BrowserContext, Page } from "playwright-core";

/**
 * Makes the pages of a context keep their peer connections and the microphones that they opened, for the functions
 * below. A page with `refusesMicrophone` gets none, as if the user had refused it; after `letMicrophoneWait()` it gets
 * one at `giveMicrophone()`, as if the user took their time.
 */
export const watchAudio = (context: BrowserContext): Promise<void> =>
  context.addInitScript(`
    globalThis.peers = [];
    globalThis.RTCPeerConnection = class extends RTCPeerConnection {
      constructor(...parts) { super(...parts); peers.push(this); }
    };
    globalThis.microphones = [];
    globalThis.letMicrophoneWait = () => {
      refusesMicrophone = false;
      globalThis.microphoneAnswer = new Promise((give) => { globalThis.giveMicrophone = () => give(); });
    };
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      if (globalThis.refusesMicrophone) throw new DOMException("Permission denied", "NotAllowedError");
      await globalThis.microphoneAnswer;
      const stream = await open(wanted);
      microphones.push(...stream.getTracks());
      return stream;
    };
  `) as Promise<unknown> as Promise<void>;

/** Returns the microphones that a page has open: `open`, or `muted` if they give silence. */
export const capturing = (page: Page): Promise<string[]> =>
  page.evaluate(`microphones.filter(({ readyState }) => readyState === "live")
    .map(({ enabled }) => (enabled ? "open" : "muted"))`);

/** Returns whether a peer connection of a page receives audio, or would as soon as the other side sends some. */
export const receives = (page: Page): Promise<boolean> =>
  page.evaluate(`peers.flatMap((peer) => peer.getTransceivers())
    .some(({ currentDirection, receiver }) => currentDirection === "recvonly" && receiver.track.readyState === "live")`);

/**
 * Returns a condition that is met once the page has received sound, not only silence, since the condition was first
 * looked at.
 */
export function hearing(page: Page): () => Promise<boolean> {
  const energy = (): Promise<number> =>
    page.evaluate(`Promise.all(peers.map((peer) => peer.getStats())).then((all) => all
      .flatMap((stats) => [...stats.values()])
      .reduce((sum, { type, totalAudioEnergy = 0 }) => sum + (type === "inbound-rtp" ? totalAudioEnergy : 0), 0))`);
  let first: number | undefined;
  return async () => {
    const now = await energy();
    first ??= now;
    // The energy of the silence between two beeps is far below that.
    return now > first + 0.001;
  };
}

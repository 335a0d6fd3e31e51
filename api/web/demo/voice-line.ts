import type { Room as Media } from "livekit-client";
import { isHubbubError, type LiveRoom } from "../../../shared/client/client.ts";
import type { Person } from "./person.ts";
import { key, t } from "./texts.ts";

export type VoiceState = "off" | "connecting" | "on";

const unreachable = key("The audio server can't be reached. Try again.");
const noMicrophone = key("The microphone can't be used. Allow it in your browser, then mute and unmute yourself.");

const lines = new WeakMap<LiveRoom, VoiceLine>();

/** Returns the one connection of a room. It outlives what shows it. */
export function voiceLineOf(room: LiveRoom, person: Person): VoiceLine {
  const line = lines.get(room) ?? new VoiceLine(room, person);
  lines.set(room, line);
  return line;
}

/** A room's connection to the media server. A store for `useSyncExternalStore`. */
export class VoiceLine {
  readonly #room: LiveRoom;
  readonly #person: Person;
  readonly #listeners = new Set<() => void>();
  /** Whether what is said on seats is kept for a while. */
  isKept = false;
  #state: VoiceState = "off";
  #media: Media | undefined;
  /** Whether the microphone couldn't be opened. Not tried again at each change of the room, but after the next mute. */
  #hasFailed = false;
  #isChanging = false;

  constructor(room: LiveRoom, person: Person) {
    this.#room = room;
    this.#person = person;
    room.on("change", () => void this.#follow());
    room.on("end", () => this.disconnect());
  }

  get state(): VoiceState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Connects, and shows why it can't. The media server's client is loaded only now. */
  async connect(): Promise<void> {
    this.#set("connecting");
    try {
      const [{ token, wsUrl, voice_evidence }, livekit] = await Promise.all([
        this.#room.voiceToken(),
        import("livekit-client"),
      ]);
      this.isKept = voice_evidence;
      this.#media = new livekit.Room();
      this.#listen(this.#media, livekit.RoomEvent);
      await this.#media.connect(wsUrl, token);
      if (this.#room.ended) return this.disconnect();
      this.#set("on");
      await this.#follow();
    } catch (error) {
      this.disconnect();
      if (this.#room.ended) return;
      this.#person.say(isHubbubError(error) ? error.message : t(unreachable), true);
    }
  }

  disconnect(): void {
    void this.#media?.disconnect();
    this.#media = undefined;
    this.#set("off");
  }

  #listen(media: Media, events: typeof import("livekit-client").RoomEvent): void {
    media
      .on(events.TrackSubscribed, (track) => void track.attach())
      .on(events.TrackUnsubscribed, (track) => void track.detach())
      // The permission follows the seat a moment later.
      .on(events.ParticipantPermissionsChanged, () => void this.#follow())
      .on(events.ActiveSpeakersChanged, (speakers) => this.#speak(speakers.includes(media.localParticipant)))
      .on(events.Disconnected, () => this.#media === media && this.disconnect());
  }

  get #seat() {
    return this.#room.ended ? undefined : this.#room.state.seats.find(({ user }) => user?.id === this.#person.id);
  }

  /** Whether the user has a seat on which no one has muted them, and the media server lets them speak. */
  get #mayOpen(): boolean {
    const seat = this.#seat;
    return Boolean(seat && !seat.muted && !seat.muted_by_host && this.#media?.localParticipant.permissions?.canPublish);
  }

  /** Opens the microphone while it may be open, and closes it otherwise, one change at a time. */
  async #follow(): Promise<void> {
    if (!this.#media || this.#state !== "on") return;
    const me = this.#media.localParticipant;
    const isOpen = this.#mayOpen;
    if (!isOpen) this.#hasFailed = false;
    if (this.#isChanging || isOpen === me.isMicrophoneEnabled || this.#hasFailed) return;
    this.#isChanging = true;
    try {
      await me.setMicrophoneEnabled(isOpen);
    } catch {
      // A seat that ended meanwhile is no fault.
      if (isOpen && me.permissions?.canPublish) {
        this.#hasFailed = true;
        this.#person.say(t(noMicrophone), true);
      }
    } finally {
      this.#isChanging = false;
    }
    // Opening takes a while, in which the user may have been muted.
    if (this.#mayOpen !== isOpen || this.#media?.localParticipant !== me) await this.#follow();
  }

  /** Tells the room who speaks. Leaves the user's own mute as it is. */
  #speak(speaking: boolean): void {
    const seat = this.#seat;
    if (seat && !seat.muted && seat.speaking !== speaking)
      void this.#room.audio({ muted: false, speaking }).catch(() => {});
  }

  #set(state: VoiceState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

import {
  type AddTrackRequest,
  DisconnectReason,
  JoinResponse,
  LeaveRequest,
  LeaveRequest_Action,
  MediaSectionsRequirement,
  type MuteTrackRequest,
  ParticipantInfo,
  ParticipantInfo_State,
  ParticipantPermission,
  ParticipantUpdate,
  Pong,
  RequestResponse,
  RequestResponse_Reason,
  SessionDescription,
  SignalRequest,
  SignalResponse,
  SpeakerInfo,
  SpeakersChanged,
  TrackInfo,
  TrackPublishedResponse,
  TrackSource,
  TrackUnpublishedResponse,
} from "@livekit/protocol";
import type { WebSocket } from "ws";
import { type Heard, Media } from "./media.ts";
import { type FakeParticipant, mayPublish } from "./participant.ts";
import { newSid, PublishedTrack } from "./published-track.ts";

type Response = NonNullable<SignalResponse["message"]>;
type Case = Exclude<Response["case"], undefined>;
type ValueOf<C extends Case> = Extract<Response, { case: C }>["value"];

/** A real client's connection: signals by protobuf over a WebSocket, audio over WebRTC. Enforces its permissions. */
export class Session {
  readonly #sid = newSid("PA");
  readonly #participant: FakeParticipant;
  readonly #socket: WebSocket;
  readonly #others: () => Session[];
  /** What the client sends, by its own IDs. */
  readonly #tracks = new Map<string, PublishedTrack>();
  readonly #media = new Media((cid, heard) => this.#hear(cid, heard));
  #work: Promise<void> = Promise.resolve();
  #version = 0;
  #hasEnded = false;

  constructor(participant: FakeParticipant, socket: WebSocket, others: () => Session[]) {
    this.#participant = participant;
    this.#socket = socket;
    this.#others = others;
    socket.on("message", (data: Buffer) => this.#receive(SignalRequest.fromBinary(data)));
    socket.on("close", () => this.#close());
  }

  /** The tracks that others hear now. */
  get liveTracks(): PublishedTrack[] {
    return [...this.#tracks.values()].filter(({ isLive }) => isLive);
  }

  /** Welcomes the client, and answers the offer that came with its request. */
  join(room: { sid: string; name: string }, offer: SessionDescription | undefined): void {
    const others = this.#others();
    this.#send(
      "join",
      new JoinResponse({
        room,
        participant: this.info(),
        otherParticipants: others.map((other) => other.info()),
        serverVersion: "1.9.11",
        serverInfo: { version: "1.9.11", protocol: 16 },
        subscriberPrimary: false,
        pingInterval: 5,
        pingTimeout: 15,
      }),
    );
    for (const other of others) for (const track of other.liveTracks) this.#subscribe(other, track);
    this.#announce();
    if (offer) this.#negotiate(offer);
  }

  info(state = ParticipantInfo_State.ACTIVE): ParticipantInfo {
    this.#version += 1;
    const { identity, name, permission } = this.#participant;
    return new ParticipantInfo({
      sid: this.#sid,
      identity,
      name,
      state,
      version: this.#version,
      tracks: this.liveTracks.map(({ info }) => info),
      permission: ParticipantPermission.fromJson({ ...permission }),
      isPublisher: this.liveTracks.length > 0,
    });
  }

  /** Ends what the participant may no longer send, then notifies everybody, and the client by a new token, too. */
  applyPermission(): void {
    for (const [cid, track] of this.#tracks)
      if (!this.#mayPublish(track.info.source)) {
        this.#end(cid);
        this.#send("trackUnpublished", new TrackUnpublishedResponse({ trackSid: track.info.sid }));
      }
    this.#send("update", new ParticipantUpdate({ participants: [this.info()] }));
    this.#announce();
    void this.#participant.refreshedToken().then((token) => this.#send("refreshToken", token));
  }

  /** Disconnects the client for good. */
  end(reason: DisconnectReason): void {
    this.#send("leave", new LeaveRequest({ reason, action: LeaveRequest_Action.DISCONNECT }));
    this.#socket.close();
    this.#close();
  }

  #receive({ message }: SignalRequest): void {
    if (message.case === "offer") this.#negotiate(message.value);
    if (message.case === "addTrack") this.#addTrack(message.value);
    if (message.case === "mute") this.#mute(message.value);
    if (message.case === "pingReq") this.#send("pongResp", new Pong({ lastPingTimestamp: message.value.timestamp }));
    if (message.case === "leave") this.end(DisconnectReason.CLIENT_INITIATED);
  }

  #addTrack(request: AddTrackRequest): void {
    const { cid, name, type, source, muted, stream } = request;
    if (!this.#mayPublish(source)) {
      const refusal = { reason: RequestResponse_Reason.NOT_ALLOWED, message: "does not have permission to publish" };
      const answer = new RequestResponse({ ...refusal, request: { case: "addTrack", value: request } });
      this.#send("requestResponse", answer);
      return;
    }
    const track = new TrackInfo({ sid: newSid("TR"), name, type, source, muted, stream, mimeType: "audio/opus" });
    this.#tracks.set(cid, new PublishedTrack(track, (isSpeaking) => this.#speak(isSpeaking)));
    this.#send("trackPublished", new TrackPublishedResponse({ cid, track }));
  }

  #mute({ sid, muted }: MuteTrackRequest): void {
    const track = [...this.#tracks.values()].find(({ info }) => info.sid === sid);
    if (!track) return;
    track.mute(muted);
    this.#announce();
  }

  #mayPublish(source: TrackSource): boolean {
    return mayPublish(this.#participant.permission, TrackSource[source]);
  }

  /** Passes audio on, unless the server hasn't allowed the track. The first packet makes it known to the others. */
  #hear(cid: string, heard: Heard): void {
    const track = this.#tracks.get(cid);
    if (!track) return;
    if (!track.isLive) {
      track.isLive = true;
      this.#announce();
      for (const other of this.#others()) other.#subscribe(this, track);
    }
    track.write(heard);
  }

  #speak(active: boolean): void {
    const speakers = [new SpeakerInfo({ sid: this.#sid, level: active ? 0.5 : 0, active })];
    for (const session of [this, ...this.#others()])
      session.#send("speakersChanged", new SpeakersChanged({ speakers }));
  }

  #end(cid: string): void {
    const track = this.#tracks.get(cid);
    if (!track) return;
    this.#tracks.delete(cid);
    track.end();
    for (const other of this.#others()) other.#unsubscribe(track);
  }

  #subscribe(other: Session, { info, audio }: PublishedTrack): void {
    if (this.#participant.permission.canSubscribe === false) return;
    this.#media.send({ id: info.sid, streamId: `${other.#sid}|${info.sid}`, audio });
    this.#askForOffer();
  }

  #unsubscribe({ info }: PublishedTrack): void {
    this.#media.stopSending(info.sid);
    this.#askForOffer();
  }

  /** The client makes all offers. It has sections to receive with: more are asked for when some tracks found none. */
  #askForOffer(numAudios = 0): void {
    this.#send("mediaSectionsRequirement", new MediaSectionsRequirement({ numAudios }));
  }

  /** Answers offers one after the other. */
  #negotiate(offer: SessionDescription): void {
    this.#work = this.#work.then(async () => {
      if (this.#hasEnded) return;
      const { sdp, midToTrackId, sentByClient } = await this.#media.answer(offer.sdp);
      this.#send("answer", new SessionDescription({ type: "answer", sdp, id: offer.id, midToTrackId }));
      if (this.#media.waiting > 0) this.#askForOffer(this.#media.waiting);

      const ended = [...this.#tracks].filter(([cid, { isLive }]) => isLive && !sentByClient.has(cid));
      for (const [cid] of ended) this.#end(cid);
      if (ended.length > 0) this.#announce();
    });
  }

  /** Notifies the others of the participant's state. */
  #announce(state?: ParticipantInfo_State): void {
    if (this.#participant.permission.hidden) return;
    for (const other of this.#others())
      other.#send("update", new ParticipantUpdate({ participants: [this.info(state)] }));
  }

  #close(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const cid of [...this.#tracks.keys()]) this.#end(cid);
    this.#announce(ParticipantInfo_State.DISCONNECTED);
    void this.#work.then(() => this.#media.close());
  }

  #send<C extends Case>(name: C, value: ValueOf<C>): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(new SignalResponse({ message: { case: name, value } as Response }).toBinary());
  }
}

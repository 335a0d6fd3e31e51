import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { DisconnectReason } from "@livekit/protocol";
import { AccessToken, TokenVerifier, type TrackInfo, TrackSource, type VideoGrant } from "livekit-server-sdk";
import type { VoiceCredentials } from "#shared/domain/live/voice/voice.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { readBody } from "#shared/testing/clients/read-body.ts";
import { acceptSocket, joinRequestIn } from "./accept-client.ts";
import { type EgressInput, FakeEgress } from "./egress.ts";
import { type FakeParticipant, type FakePermission, permissionOf } from "./participant.ts";
import type { Session } from "./session.ts";

/** Where clients connect, in LiveKit's present protocol. */
const clientPath = "/rtc/v1";

/** A received call, with or without a valid signature. */
export interface FakeCall {
  readonly method: string;
  readonly room: string;
  readonly identity?: string;
  readonly permission?: FakePermission;
  readonly revokeTokenTs?: string;
  readonly egressId?: string;
  /** The HTTP status of the response, absent until it is sent. */
  status?: number;
}

type Input = EgressInput & Omit<FakeCall, "method" | "status">;

class Failure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/**
 * A fake LiveKit server on loopback. Its API: Twirp with JSON, verifying the signature and the grants of each call. Its
 * clients: `livekit-client` in a browser, whose audio it passes on, or those that `connect` only simulates. The API
 * acts on both.
 */
export class FakeLiveKit {
  readonly credentials: VoiceCredentials;
  readonly calls: FakeCall[] = [];
  readonly egress = new FakeEgress();
  readonly #rooms = new Map<string, Map<string, FakeParticipant>>();
  readonly #server: Server;
  readonly #verifier: TokenVerifier;
  /** Whether the egress service fails, as one that isn't installed. */
  failEgress = false;
  #failures = 0;
  #hangs = 0;
  #refuses = false;
  #held: Promise<void> = Promise.resolve();

  static async start(): Promise<FakeLiveKit> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeLiveKit(server);
  }

  private constructor(server: Server) {
    const { port } = server.address() as AddressInfo;
    const [apiKey, apiSecret] = [`key-${newId()}`, `secret-${newId()}`];
    this.credentials = { url: `ws://127.0.0.1:${port}`, apiKey, apiSecret };
    this.#verifier = new TokenVerifier(apiKey, apiSecret);
    this.#server = server;
    server.on("request", (req, res) => void this.#answer(req, res));
    server.on("upgrade", (req, stream, head) => void this.#welcome(req, stream, head));
  }

  async stop(): Promise<void> {
    this.egress.stop();
    for (const name of [...this.#rooms.keys()]) this.#deleteRoom(name);
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Lets the next calls fail with 503. */
  fail(times: number): void {
    this.#failures = times;
  }

  /** Lets the next calls hang. */
  hang(times: number): void {
    this.#hangs = times;
  }

  /** Lets no client connect, as a server that is overloaded. */
  refuse(isRefused: boolean): void {
    this.#refuses = isRefused;
  }

  /** Holds all calls until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return resolve;
  }

  callsOf(method: string, identity?: string): FakeCall[] {
    return this.calls.filter((call) => call.method === method && (!identity || call.identity === identity));
  }

  /** Connects a client. @throws Error if the token doesn't allow joining a room */
  async connect(token: string): Promise<FakeParticipant> {
    const { sub, name = "", video, attributes = {} } = await this.#verifier.verify(token);
    if (!sub || !video?.roomJoin || !video.room) throw new Error("the token does not let anybody join");
    const room = video.room;
    const participant: FakeParticipant = {
      identity: sub,
      name,
      permission: permissionOf(video),
      attributes,
      tracks: [],
      refreshedToken: () => this.#refresh(room, participant, video),
    };
    const people = this.#rooms.get(room) ?? new Map<string, FakeParticipant>();
    this.#rooms.set(room, people.set(sub, participant));
    return participant;
  }

  disconnect(room: string, identity: string): void {
    this.egress.endAll(this.participant(room, identity)?.tracks ?? []);
    this.#rooms.get(room)?.delete(identity);
  }

  /** Lets a participant whom a test simulates send audio. Returns the ID of the track. */
  publish(room: string, identity: string): string {
    const person = this.participant(room, identity);
    if (!person?.permission.canPublish) throw new Error("the participant may not send");
    const trackId = `TR_${newId().replaceAll("-", "")}`;
    person.tracks = [...person.tracks, trackId];
    return trackId;
  }

  participant(room: string, identity: string): FakeParticipant | undefined {
    return this.#rooms.get(room)?.get(identity);
  }

  /** The connected participants of all rooms. */
  get participants(): FakeParticipant[] {
    return [...this.#rooms.values()].flatMap((people) => [...people.values()]);
  }

  /** What a participant sends now, by their name. */
  liveTracksOf(name: string): TrackInfo[] {
    const sessions = this.participants.flatMap((person) => (person.name === name && person.session) || []);
    return sessions.flatMap(({ liveTracks }) => liveTracks.map(({ info }) => info));
  }

  hasRoom(room: string): boolean {
    return this.#rooms.has(room);
  }

  #refresh(room: string, { identity, name, permission }: FakeParticipant, video: VideoGrant): Promise<string> {
    const { apiKey, apiSecret } = this.credentials;
    const token = new AccessToken(apiKey, apiSecret, { identity, name, ttl: 600 });
    const canPublish = permission.canPublish ?? false;
    const canPublishSources = canPublish ? [TrackSource.MICROPHONE] : [];
    token.addGrant({ ...video, room, canPublish, canPublishSources });
    return token.toJwt();
  }

  /** Connects a real client. It replaces an older connection of the same participant. */
  async #welcome(req: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const address = new URL(req.url ?? "", this.credentials.url);
    const token = address.searchParams.get("access_token") ?? "";
    const claims = await this.#verifier.verify(token).catch(() => undefined);
    const { sub = "", video } = claims ?? {};
    if (this.#refuses || address.pathname !== clientPath || !video?.roomJoin || !video.room) {
      stream.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      return;
    }
    const { room } = video;
    // Loads WebRTC, which only the tests with a browser require.
    const { Session } = await import("./session.ts");
    this.participant(room, sub)?.session?.end(DisconnectReason.DUPLICATE_IDENTITY);
    const participant = await this.connect(token);
    const socket = await acceptSocket(req, stream, head);
    socket.on("close", () => {
      if (this.participant(room, sub) === participant) this.disconnect(room, sub);
    });
    participant.session = new Session(participant, socket, () => this.#sessions(room, participant));
    participant.session.join({ sid: `RM_${room}`, name: room }, joinRequestIn(address).publisherOffer);
  }

  #sessions(room: string, except?: FakeParticipant): Session[] {
    const people = [...(this.#rooms.get(room)?.values() ?? [])];
    return people.flatMap((person) => (person.session && person !== except ? [person.session] : []));
  }

  #deleteRoom(room: string): boolean {
    const sessions = this.#sessions(room);
    for (const { tracks } of this.#rooms.get(room)?.values() ?? []) this.egress.endAll(tracks);
    const existed = this.#rooms.delete(room);
    for (const session of sessions) session.end(DisconnectReason.ROOM_DELETED);
    return existed;
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req);
    if (body === undefined) return;
    if (req.method === "GET") return void (await this.#validate(req, res));
    const input = JSON.parse(body) as Input;
    const method = (req.url ?? "").replace(/^\/twirp\/livekit\.(RoomService|Egress)\//, "");
    const call: FakeCall = { method, ...input };
    this.calls.push(call);
    if (this.#hangs > 0) {
      this.#hangs -= 1;
      return;
    }
    await this.#held;
    try {
      if (this.#failures > 0) {
        this.#failures -= 1;
        throw new Failure(503, "unavailable");
      }
      await this.#authorize(method, input.room, req.headers.authorization ?? "");
      reply(res, call, 200, this.#perform(method, input));
    } catch (error) {
      const { status, code } = error instanceof Failure ? error : new Failure(500, "internal");
      reply(res, call, status, { code, msg: String(error) });
    }
  }

  /** Tells a client why its connection was refused: browsers don't reveal the status of a failed upgrade. */
  async #validate(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? "", this.credentials.url);
    const claims = await this.#verifier.verify(searchParams.get("access_token") ?? "").catch(() => undefined);
    const status = pathname !== `${clientPath}/validate` ? 404 : claims?.video?.roomJoin ? 200 : 401;
    res.writeHead(this.#refuses ? 503 : status, { "Access-Control-Allow-Origin": "*" }).end();
  }

  async #authorize(method: string, room: string, header: string): Promise<void> {
    const token = header.replace(/^Bearer /, "");
    const { video } = await this.#verifier.verify(token).catch(() => {
      throw new Failure(401, "unauthenticated");
    });
    const allowed = method.endsWith("Egress")
      ? video?.roomRecord
      : method === "DeleteRoom"
        ? video?.roomCreate
        : video?.roomAdmin && video.room === room;
    if (!allowed) throw new Failure(403, "permission_denied");
  }

  #perform(method: string, input: Input): object {
    if (method.endsWith("Egress") && this.failEgress) throw new Failure(503, "unavailable");
    const recorded = method.endsWith("Egress") && this.egress.perform(method, input);
    if (recorded) return recorded;
    const { room, identity = "", permission } = input;
    const people = this.#rooms.get(room);
    if (method === "ListParticipants") return { participants: [...(people?.values() ?? [])].map(infoOf) };
    if (method === "DeleteRoom") {
      if (!this.#deleteRoom(room)) throw new Failure(404, "not_found");
      return {};
    }
    const person = people?.get(identity);
    if (!person) throw new Failure(404, "not_found");
    if (method === "RemoveParticipant") {
      this.egress.endAll(person.tracks);
      people?.delete(identity);
      person.session?.end(DisconnectReason.PARTICIPANT_REMOVED);
      return {};
    }
    if (method !== "UpdateParticipant") throw new Failure(404, "bad_route");
    if (permission) {
      person.permission = permission;
      if (!permission.canPublish) {
        this.egress.endAll(person.tracks);
        person.tracks = [];
      }
      person.session?.applyPermission();
    }
    return infoOf(person);
  }
}

function reply(res: ServerResponse, call: FakeCall, status: number, body: object): void {
  call.status = status;
  res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

const infoOf = ({ identity, name, permission, attributes, tracks }: FakeParticipant) => ({
  identity,
  name,
  permission,
  attributes,
  tracks: tracks.map((sid) => ({ sid, type: "AUDIO", source: "MICROPHONE" })),
  state: "ACTIVE",
});

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AccessToken, TokenVerifier, TrackSource, type VideoGrant } from "livekit-server-sdk";
import type { VoiceCredentials } from "#shared/domain/voice/voice.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { readBody } from "#shared/testing/clients/read-body.ts";

/** A permission in protobuf's JSON encoding, which omits false and empty values. */
export interface FakePermission {
  canSubscribe?: boolean;
  canPublish?: boolean;
  canPublishData?: boolean;
  canPublishSources?: string[];
  hidden?: boolean;
}

export interface FakeParticipant {
  readonly identity: string;
  readonly name: string;
  permission: FakePermission;
  /** The token that LiveKit refreshes for connected clients: with the current permissions, valid for ten minutes. */
  refreshedToken(): Promise<string>;
}

/** A received call, with or without a valid signature. */
export interface FakeCall {
  readonly method: string;
  readonly room: string;
  readonly identity?: string;
  readonly permission?: FakePermission;
  readonly revokeTokenTs?: string;
  /** The HTTP status of the response, absent until it is sent. */
  status?: number;
}

type Input = { room: string } & Omit<FakeCall, "method" | "status">;

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
 * A fake LiveKit API server on loopback: implements Twirp with JSON, verifies the signature and the grants of each call, and
 * keeps participants. `connect` simulates a client that connects with a token.
 */
export class FakeLiveKit {
  readonly credentials: VoiceCredentials;
  readonly calls: FakeCall[] = [];
  readonly #rooms = new Map<string, Map<string, FakeParticipant>>();
  readonly #server: Server;
  readonly #verifier: TokenVerifier;
  #failures = 0;
  #hangs = 0;
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
  }

  async stop(): Promise<void> {
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
    const { sub, name = "", video } = await this.#verifier.verify(token);
    if (!sub || !video?.roomJoin || !video.room) throw new Error("the token does not let anybody join");
    const room = video.room;
    const participant: FakeParticipant = {
      identity: sub,
      name,
      permission: permissionOf(video),
      refreshedToken: () => this.#refresh(room, participant, video),
    };
    const people = this.#rooms.get(room) ?? new Map<string, FakeParticipant>();
    this.#rooms.set(room, people.set(sub, participant));
    return participant;
  }

  disconnect(room: string, identity: string): void {
    this.#rooms.get(room)?.delete(identity);
  }

  participant(room: string, identity: string): FakeParticipant | undefined {
    return this.#rooms.get(room)?.get(identity);
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

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req);
    if (body === undefined) return;
    const input = JSON.parse(body) as Input;
    const method = (req.url ?? "").replace("/twirp/livekit.RoomService/", "");
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

  async #authorize(method: string, room: string, header: string): Promise<void> {
    const token = header.replace(/^Bearer /, "");
    const { video } = await this.#verifier.verify(token).catch(() => {
      throw new Failure(401, "unauthenticated");
    });
    const allowed = method === "DeleteRoom" ? video?.roomCreate : video?.roomAdmin && video.room === room;
    if (!allowed) throw new Failure(403, "permission_denied");
  }

  #perform(method: string, { room, identity = "", permission }: Input): object {
    const people = this.#rooms.get(room);
    if (method === "ListParticipants")
      return { participants: [...(people?.values() ?? [])].map((person) => ({ ...person, state: "ACTIVE" })) };
    if (method === "DeleteRoom") {
      if (!this.#rooms.delete(room)) throw new Failure(404, "not_found");
      return {};
    }
    const person = people?.get(identity);
    if (!person) throw new Failure(404, "not_found");
    if (method === "RemoveParticipant") {
      people?.delete(identity);
      return {};
    }
    if (method !== "UpdateParticipant") throw new Failure(404, "bad_route");
    if (permission) person.permission = permission;
    return { identity, permission: person.permission };
  }
}

function reply(res: ServerResponse, call: FakeCall, status: number, body: object): void {
  call.status = status;
  res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** Returns the permissions of a token, with LiveKit's defaults: omitted permissions are granted, except publishing sources and `hidden`. */
function permissionOf(video: VideoGrant): FakePermission {
  return {
    canSubscribe: video.canSubscribe ?? true,
    canPublish: video.canPublish ?? true,
    canPublishData: video.canPublishData ?? video.canPublish ?? true,
    canPublishSources: (video.canPublishSources ?? []).map(String).map((source) => source.toUpperCase()),
    hidden: video.hidden ?? false,
  };
}

import { type ColyseusClient, ColyseusLine, type RoomAddress } from "./colyseus-line.ts";
import type { Status } from "./connection.ts";
import { type Call, HubbubError } from "./errors.ts";
import { type GameType, LiveGame, LiveLobby } from "./live-game.ts";
import { LiveRoom } from "./live-room.ts";
import type { LineEvents, RoomLine, Services } from "./ports.ts";
import { claimsOf } from "./session.ts";
import type { ClientEvents, Operations, Room, ServerEvents } from "./social.generated.ts";

interface Opened {
  readonly room: LiveRoom;
  readonly entered: Promise<void>;
}

/** The rooms, lobbies, and games that a client follows. */
export class Live {
  readonly #services: Services;
  readonly #sdk: InstanceType<ColyseusClient> | undefined;
  readonly #onNative: (event: string, payload: unknown) => void;
  readonly #rooms = new Map<string, Opened>();
  /** The rooms that get their events over the user's connection. */
  readonly #lines = new Map<string, LineEvents>();
  readonly #nativeLines = new Map<string, ColyseusLine>();
  readonly #lobbies = new Map<string, LiveLobby>();
  readonly #games = new Map<string, LiveGame>();
  #wasLost = false;

  /** @param onNative is called with the events of native connections */
  constructor(
    services: Services,
    sdk: InstanceType<ColyseusClient> | undefined,
    onNative: (event: string, payload: unknown) => void,
  ) {
    this.#services = services;
    this.#sdk = sdk;
    this.#onNative = onNative;
  }

  readonly joinRoom = (
    id: string,
    { password }: { readonly password?: string | undefined } = {},
  ): Call<LiveRoom, ClientEvents["room:join"]["errors"]> => this.#join(id, password);

  readonly createLobby = async (body: Operations["createLobby"]["body"]): Promise<LiveLobby> => {
    const lobby = await this.#services.rest.request("createLobby", { body });
    return this.#follow(lobby.id, lobby);
  };

  readonly openLobby = async (id: string): Promise<LiveLobby> => {
    const lobby = await this.#services.rest.request("getLobby", { params: { id } });
    return this.#follow(id, lobby);
  };

  readonly openGame = async <Type extends GameType = GameType>(id: string): Promise<LiveGame<Type>> => {
    const session = await this.#services.rest.request("getGameSession", { params: { id } });
    const known = this.#games.get(id);
    if (known) known.take(session);
    const game = known ?? new LiveGame(id, session, this.#services, () => this.#games.delete(id));
    this.#games.set(id, game);
    return game as unknown as LiveGame<Type>;
  };

  /** An event of the user's connection. */
  received(event: string, payload: unknown): void {
    const { room_id } = (payload ?? {}) as { room_id?: string };
    if (room_id !== undefined) this.#lines.get(room_id)?.onEvent(event, payload);
    this.#follows(event, payload);
  }

  #follows(event: string, payload: unknown): void {
    if (event === "lobby:updated") {
      const { lobby } = payload as ServerEvents["lobby:updated"];
      this.#lobbies.get(lobby.id)?.take(lobby);
    } else if (event === "game:state") {
      const { session_id, state } = payload as ServerEvents["game:state"];
      this.#games.get(session_id)?.take(state);
    }
  }

  /** The user's connection was lost, or is back. */
  became(status: Status): void {
    if (status !== "online") {
      this.#wasLost = true;
      for (const line of [...this.#lines.values()]) line.onLost();
    }
    // They notice a lost connection by themselves.
    if (status === "offline") for (const line of this.#nativeLines.values()) line.drop();
    if (status !== "online" || !this.#wasLost) return;
    this.#wasLost = false;
    for (const live of [...this.#lobbies.values(), ...this.#games.values()]) void live.reload().catch(() => {});
  }

  /** The session has ended. */
  end(): void {
    for (const { room } of [...this.#rooms.values()]) room.finish({ reason: "logged_out" });
    this.#lobbies.clear();
    this.#games.clear();
  }

  async #join(id: string, password: string | undefined): Promise<LiveRoom> {
    const known = this.#rooms.get(id);
    if (known) {
      await known.entered;
      if (!known.room.ended) return known.room;
    }
    const token = await this.#services.tokens.token();
    if (token === null) throw new HubbubError("LOGGED_OUT", "Log in first.");
    const room = new LiveRoom(id, claimsOf(token).sub ?? "", this.#services, (events) =>
      this.#lineTo(id, password, events),
    );
    const opened = { room, entered: room.enter() };
    this.#rooms.set(id, opened);
    room.on("end", () => {
      if (this.#rooms.get(id) !== opened) return;
      this.#rooms.delete(id);
      this.#nativeLines.delete(id);
    });
    await opened.entered;
    return room;
  }

  #lineTo(room_id: string, password: string | undefined, events: LineEvents): RoomLine {
    if (this.#sdk) return this.#nativeLine(this.#sdk, { room_id, password }, events);
    const { send, untilOnline } = this.#services;
    this.#lines.set(room_id, events);
    return {
      ready: untilOnline,
      enter: (token) => send("room:join", { room_id, password }, token) as Promise<Room>,
      send,
      close: () => {
        if (this.#lines.get(room_id) === events) this.#lines.delete(room_id);
      },
    };
  }

  #nativeLine(sdk: InstanceType<ColyseusClient>, options: RoomAddress, events: LineEvents): RoomLine {
    const { timeout, untilOnline } = this.#services;
    const onEvent = (event: string, payload: unknown) => {
      const { room_id } = payload as { room_id?: string };
      // What belongs to the user comes over the user's connection as well; what spectators see doesn't.
      if (room_id !== options.room_id) return this.#follows(event, payload);
      this.#onNative(event, payload);
      events.onEvent(event, payload);
    };
    const line = new ColyseusLine(sdk, options, timeout, { ...events, onEvent }, untilOnline);
    this.#nativeLines.set(options.room_id, line);
    return line;
  }

  #follow(id: string, state: LiveLobby["state"]): LiveLobby {
    const known = this.#lobbies.get(id);
    if (known) {
      known.take(state);
      return known;
    }
    const lobby = new LiveLobby(id, state, this.#services, () => this.#lobbies.delete(id));
    this.#lobbies.set(id, lobby);
    return lobby;
  }
}

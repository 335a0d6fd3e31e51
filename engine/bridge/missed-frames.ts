import type { Server } from "socket.io";
import type { ServerPush } from "#shared/contracts/events.ts";
import { connectionOf } from "./socketio-internals.ts";

/** After so long without another event, the room rests. */
const restMs = 250;

/**
 * Repeats the last volatile event of a room to the sockets that missed it. Socket.IO drops such an event for a socket
 * that has not read what came before it. Mostly the next event shows the client the gap in `seq`; when a room rests,
 * there is none, and the client would show a user as speaking for as long as it does.
 */
export class MissedFrames {
  readonly #io: Server;
  /** By channel. */
  readonly #repeats = new Map<string, NodeJS.Timeout>();

  constructor(io: Server) {
    this.#io = io;
  }

  /** Comes before each numbered event is pushed to the sockets in a channel. */
  note(channel: string, push: ServerPush, volatile: boolean): void {
    clearTimeout(this.#repeats.get(channel));
    this.#repeats.delete(channel);
    const missing = volatile ? this.#unwritable(channel) : [];
    if (missing.length === 0) return;
    const repeat = setTimeout(() => this.#repeat(channel, missing, push), restMs).unref();
    this.#repeats.set(channel, repeat);
  }

  #unwritable(channel: string): string[] {
    const { adapter, sockets } = this.#io.of("/");
    return [...(adapter.rooms.get(channel) ?? [])].filter((id) => {
      const socket = sockets.get(id);
      return socket && !connectionOf(socket).transport.writable;
    });
  }

  #repeat(channel: string, missing: readonly string[], { event, payload }: ServerPush): void {
    this.#repeats.delete(channel);
    const inside = this.#io.of("/").adapter.rooms.get(channel);
    const still = missing.filter((id) => inside?.has(id));
    if (still.length > 0) this.#io.to(still).emit(event, payload);
  }
}

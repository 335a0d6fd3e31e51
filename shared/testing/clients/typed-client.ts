import { Client as ColyseusClient } from "@colyseus/sdk";
import { createClient, isHubbubError, type LiveRoom, memoryStorage } from "../../client/client.ts";
import type { BuiltUser } from "../factories.ts";
import type { Payload } from "./clients.ts";
import { openFlakyNetwork } from "./flaky-network.ts";

/** The typed client of a user, behind a network that can fail. */
export interface TypedClient {
  /** The room that the user is in. */
  readonly room: LiveRoom | undefined;
  /** Joins the room. Returns "ok", or the error code. */
  enter(): Promise<string>;
  /** Sends an event of the room, and returns an envelope. */
  ask(event: string, payload: object): Promise<Payload>;
  /** Cuts all connections. */
  cut(): void;
  close(): Promise<void>;
}

const failureOf = (error: unknown) => {
  if (!isHubbubError(error)) throw error;
  return { success: false, error: { code: error.code === "LEFT_ROOM" ? "NOT_A_MEMBER" : error.code } } as const;
};

/** @param isNative over Colyseus instead of Socket.IO */
export async function openTyped(url: string, user: BuiltUser, roomId: string, isNative: boolean): Promise<TypedClient> {
  const network = await openFlakyNetwork(url);
  const storage = memoryStorage();
  await storage.set({ accessToken: user.token, refreshToken: user.refreshToken });
  const hubbub = createClient({ url: network.url, storage, ...(isNative && { colyseus: ColyseusClient }) });
  let joined: LiveRoom | undefined;
  const client: TypedClient = {
    get room() {
      return joined?.ended ? undefined : joined;
    },
    enter: async () => {
      try {
        joined = await hubbub.rooms.join(roomId);
        return "ok";
      } catch (error) {
        return failureOf(error).error.code;
      }
    },
    ask: async (event, payload) => {
      const asked = client.room?.send(event as "seat:request", payload);
      return asked?.then((data) => ({ success: true, data }), failureOf) ?? { success: true };
    },
    cut: () => network.cut(),
    close: async () => {
      await hubbub.logout();
      await network.close();
    },
  };
  return client;
}

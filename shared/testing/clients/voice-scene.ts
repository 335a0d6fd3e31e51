import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { joinVoiceRoom, type SocketClient } from "./clients.ts";

/** A new room, with its host and Ada in it over Socket.IO. */
export interface VoiceScene {
  readonly room: BuiltRoom;
  readonly ada: BuiltUser;
  readonly hostSocket: SocketClient;
  readonly adaSocket: SocketClient;
}

export async function buildVoiceScene(url: string): Promise<VoiceScene> {
  const room = await buildRoom();
  const ada = await buildUser({ full_name: "Ada" });
  // One after the other, because tests read the order of the events.
  const hostSocket = await joinVoiceRoom(url, room.host.token, room.id);
  const adaSocket = await joinVoiceRoom(url, ada.token, room.id);
  return { room, ada, hostSocket, adaSocket };
}

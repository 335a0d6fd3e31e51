import { setTimeout as pause } from "node:timers/promises";
import type { Hubbub } from "../../client/client.ts";

/** How long a player thinks, milliseconds. */
const thinkMs = 4000;

/** Two people play snakes and ladders in their room, until it is over or `signal` is aborted. */
export async function playGame(host: Hubbub, guest: Hubbub, room_id: string, signal: AbortSignal): Promise<void> {
  const lobby = await host.games.create({ room_id, type: "snakes_and_ladders" });
  const asGuest = await guest.games.lobby(lobby.id);
  await asGuest.join();
  await asGuest.ready();
  if (lobby.state.players.some(({ ready }) => !ready)) await lobby.ready();
  const { session_id } = await lobby.start();
  const games = await Promise.all([host, guest].map((hubbub) => hubbub.games.open(session_id!)));
  try {
    while (games[0]!.state.status === "active") {
      await pause(thinkMs, undefined, { signal });
      const next = games[0]!.state.turn?.user_id;
      const at = [host, guest].findIndex(({ user }) => user?.id === next);
      await games[at]?.act({ kind: "roll" });
    }
  } finally {
    for (const live of [lobby, asGuest, ...games]) live.close();
  }
}

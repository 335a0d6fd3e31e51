import { setTimeout as pause } from "node:timers/promises";
import { io, type Socket } from "socket.io-client";
import { printTable, say } from "./report.ts";
import { openRoom, register, startService } from "./service.ts";

interface Guest {
  readonly socket: Socket;
  /** IDs of the members known to this client, from the room's snapshot and from later events. */
  readonly seen: Set<string>;
  settledMs?: number;
}

interface JoinReply {
  success: boolean;
  error?: { code: string };
  data: { members: { user: { id: string } }[] };
}

/**
 * Lets all clients join simultaneously. Each must eventually see all the others, and those who are rejected must not be in
 * the room.
 */
export async function joinStorm({ clients }: { clients: number }): Promise<void> {
  const service = await startService();
  const people = await register(service, clients);
  const { id: room_id } = await openRoom(service, people[0]!);
  const guests = await Promise.all(people.map(({ token }) => connect(service.url, token)));
  say(`${clients} clients connected; all join now`);
  const startedMs = performance.now();
  const settle = (guest: Guest) => {
    if (guest.seen.size === clients) guest.settledMs ??= performance.now() - startedMs;
  };
  for (const guest of guests)
    guest.socket.on("room:participant_joined", ({ member }: { member: { user: { id: string } } }) => {
      guest.seen.add(member.user.id);
      settle(guest);
    });
  const replies = await Promise.all(
    guests.map(async (guest) => {
      const reply = (await guest.socket.timeout(30_000).emitWithAck("room:join", { room_id })) as JoinReply;
      if (reply.success) for (const { user } of reply.data.members) guest.seen.add(user.id);
      settle(guest);
      return reply;
    }),
  );
  const acknowledgedMs = performance.now() - startedMs;
  const settled = () => guests.filter(({ settledMs }) => settledMs !== undefined).length;
  for (let waited = 0; settled() < clients && waited < 200; waited += 1) await pause(50);
  const failed = replies.filter(({ success }) => !success);
  const { members } = await service.call<JoinReply["data"]>("GET", `/rooms/${room_id}`, { token: people[0]!.token });
  const inRoom = new Set(members.map(({ user }) => user.id));
  const ghosts = people.filter(({ id }, nth) => !replies[nth]!.success && inRoom.has(id)).length;
  printTable([
    {
      clients,
      joined: clients - failed.length,
      "rejected, but in the room": ghosts,
      "still connected": guests.filter(({ socket }) => socket.connected).length,
      "see all members": settled(),
      "acknowledged ms": acknowledgedMs.toFixed(0),
      "settled ms": Math.max(...guests.map(({ settledMs }) => settledMs ?? Number.POSITIVE_INFINITY)).toFixed(0),
    },
  ]);
  if (failed[0]) say(`first error: ${failed[0].error?.code}`);
  for (const { socket } of guests) socket.disconnect();
  await service.stop();
  if (failed.length > 0 || ghosts > 0 || settled() < clients) process.exitCode = 1;
}

async function connect(url: string, token: string): Promise<Guest> {
  const socket = io(url, { auth: { token }, transports: ["websocket"], forceNew: true, reconnection: false });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return { socket, seen: new Set() };
}

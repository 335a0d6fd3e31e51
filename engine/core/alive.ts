import { matchMaker } from "@colyseus/core";

const channelOf = (processId: string) => `p:${processId}`;

/** Returns whether a process is alive. */
export async function isAlive(processId: string): Promise<boolean> {
  if (processId === matchMaker.processId) return true;
  return (await matchMaker.presence.channels(channelOf(processId))).includes(channelOf(processId));
}

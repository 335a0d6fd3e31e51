import type { Session } from "#shared/contracts/views/game-views.ts";
import type { Fanout } from "../../bridge/fanout.ts";

/**
 * Pushes a game to its players, to each as he may see it. Those who see the same are told together: it is put into bytes
 * once. `views`: by user; they differ in `you` alone.
 */
export function tellPlayers(fanout: Fanout, session_id: string, views: ReadonlyMap<string, Session>): void {
  const shown = new Map<string, { state: Session; userIds: string[] }>();
  for (const [userId, state] of views) {
    const key = JSON.stringify(state.you);
    const others = shown.get(key);
    if (others) others.userIds.push(userId);
    else shown.set(key, { state, userIds: [userId] });
  }
  for (const { state, userIds } of shown.values()) fanout.toUsers(userIds, "game:state", { session_id, state });
}

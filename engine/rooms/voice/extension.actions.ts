import type { RoomAction, RoomOfAction } from "#shared/extension/define.ts";
import { isOn, type LoadedExtension, loadedExtensions } from "#shared/extension/loaded.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Ask, type Outgoing, userOf } from "../../core/decision.ts";
import type { RoomData } from "./room-data.ts";
import type { VoiceDecision } from "./voice-action.ts";

/** The room as extensions see it. */
const roomOf = (data: RoomData): RoomOfAction => ({
  id: data.roomId,
  hostId: data.row.host_id,
  memberIds: [...data.members.keys()],
  seats: data.live.seats.map(({ userId }) => userId),
  roleOf: (userId) => data.roleOf(userId),
});

type Input = Readonly<Record<string, unknown>>;

/** Turns an action of an extension into one of the room's actor. Only members perform it. */
function actionOf(extension: LoadedExtension, { prepare, decide }: RoomAction) {
  const askOf = (data: RoomData, ask: Ask<Input>) => {
    const caller = userOf(ask);
    if (!isOn(extension)) throw new DomainError("NOT_FOUND");
    data.memberOf(caller.userId);
    return { caller, input: ask.input };
  };
  return {
    ...(prepare && { prepare: async (data: RoomData, ask: Ask<Input>) => prepare(roomOf(data), askOf(data, ask)) }),
    decide: (data: RoomData, ask: Ask<Input>, prepared: never): VoiceDecision => {
      const { write, events = [], reply } = decide(roomOf(data), askOf(data, ask), prepared);
      const users = [...data.members.keys()];
      return {
        ...(write && { durable: (tx) => write(extension.txOf(tx)) }),
        events: () => events.map((event) => ({ ...event, users, passing: true }) as unknown as Outgoing),
        reply,
      };
    },
  };
}

/** The actions that extensions add to voice rooms. */
export const extensionActions = Object.fromEntries(
  loadedExtensions.flatMap((extension) =>
    Object.entries(extension.parts.actions ?? {}).map(([name, action]) => [name, actionOf(extension, action)] as const),
  ),
) as object;

import type { UserCard } from "#shared/contracts/views.ts";
import { checkContents } from "#shared/domain/base/filter/check-content.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { roomTexts } from "#shared/domain/live/rooms/create-room.ts";
import { emptyLive } from "#shared/domain/live/rooms/live.ts";
import { closeRoom, liftBans, patchRow, updateRoom } from "#shared/domain/live/rooms/room-steps.ts";
import { queueVoiceClose } from "#shared/domain/live/voice/voice-sync.ts";
import type { Outgoing } from "../../core/decision.ts";
import { engine } from "../../engine.ts";
import { accessRunner, assertManages, assertMayTell } from "./access.ts";
import { whereIn } from "./room-data.ts";
import { resize } from "./seats.rules.ts";
import type { VoiceActions } from "./voice-action.ts";

/** The actor of a closed room stays this long, so that its events reach everyone who was in it. */
const lingerMs = 250;

/** In a larger room, `room:closed` suffices: otherwise, each member would be sent every other member's leaving. */
const farewellsMax = 100;

const farewells = (roomId: string, userIds: readonly string[]): Outgoing[] =>
  userIds.length > farewellsMax
    ? []
    : userIds.map((user_id, index) => ({
        event: "room:participant_left",
        payload: { room_id: roomId, user_id, reason: "closed", member_count: userIds.length - index - 1 },
      }));

/** The fields of a patch without what the host has written, which the audit log would keep forever. */
const auditable = <Fields extends object>(fields: Fields, patch: object): object =>
  Object.fromEntries(
    Object.entries(fields).filter(([name]) => name in patch && name !== "name" && name !== "description"),
  );

const textNames = Object.keys(roomTexts) as (keyof typeof roomTexts)[];

/** Changes of the room itself, by the host, an administrator, or the service. */
export const roomActions = {
  "room:update": {
    prepare: async (data, ask) => {
      assertManages(data, ask);
      const { password } = ask.input;
      const passwordHash = typeof password === "string" ? await hashPassword(password) : undefined;
      return { host: await data.hostCard(), passwordHash };
    },
    decide: (data, ask, { host, passwordHash }) => {
      assertManages(data, ask);
      const { row: present } = data;
      const told = textNames.map((name) => (ask.input[name] === present[name] ? undefined : ask.input[name]));
      assertMayTell(ask, told);
      // What administrators write is the house's.
      const input =
        ask.principal.kind === "user"
          ? checkContents(ask.input, roomTexts, {
              ...whereIn(data),
              userId: ask.principal.userId,
              country: host.country,
            })
          : ask.input;
      const before = auditable(present, input);
      const row = patchRow(present, input, passwordHash);
      const seats = resize(data.live.seats, row.seat_count);
      return {
        next: seats === data.live.seats ? data.live : { ...data.live, seats },
        durable: async (tx) => {
          await updateRoom(tx, row);
          const target = { type: "room", id: data.roomId };
          await tx.audit(ask.principal, { action: "room.update", target, before, after: input });
        },
        apply: () => {
          data.row = row;
        },
        events: () => [{ event: "room:updated", payload: { room_id: data.roomId, room: data.cardView(host) } }],
        reply: () => data.cardView(host),
      };
    },
  },

  "room:close": {
    prepare: (data) => data.hostCard(),
    decide: (data, ask, host) => {
      const { principal, input } = ask;
      assertManages(data, ask);
      const { reason } = input;
      const userIds = [...data.members.keys()];
      return {
        next: emptyLive(data.live.seats.length),
        durable: async (tx) => {
          await closeRoom(tx, data.roomId, reason);
          await tx.publish("room.closed", { room_id: data.roomId });
          await queueVoiceClose(tx, data.roomId);
          await tx.audit(principal, {
            action: "room.close",
            target: { type: "room", id: data.roomId },
            before: { status: "open" },
            after: { status: "closed" },
            reason,
          });
        },
        apply: () => {
          data.row = { ...data.row, status: "closed", close_reason: reason };
          data.members.clear();
          for (const userId of userIds) data.changedMembers.add(userId);
        },
        events: () => [
          ...farewells(data.roomId, userIds),
          { event: "room:closed", payload: { room_id: data.roomId, reason } },
        ],
        effects: (effects) => {
          engine().presence.moved(userIds);
          effects.endAfter(lingerMs);
        },
        reply: () => data.cardView(host),
      };
    },
  },

  "room:unban": {
    decide: (data, ask) => {
      accessRunner(data, ask);
      const { user_id } = ask.input;
      return {
        durable: (tx) => liftBans(tx, data.roomId, user_id),
        apply: () => {
          if (user_id) data.bans.delete(user_id);
          else data.bans.clear();
        },
        reply: () => ({}),
      };
    },
  },
} satisfies VoiceActions<{
  "room:update": { host: UserCard; passwordHash: string | undefined };
  "room:close": UserCard;
}>;

import { checkContent, masked } from "#shared/domain/base/filter/check-content.ts";
import { compileRules, type Finding } from "#shared/domain/base/filter/compile-rules.ts";
import { storeRoomRules } from "#shared/domain/live/rooms/room-rules.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import type { Outgoing } from "../../core/decision.ts";
import { accessRunner, assertMayTell } from "./access.ts";
import { type RoomData, whereIn } from "./room-data.ts";
import type { VoiceActions, VoiceDecision } from "./voice-action.ts";

/** Returns what the room's own rules find in what a member writes. Those who run the room may write anything. */
function findOwn(data: RoomData, userId: string, text: string): Finding[] {
  const { words, allow, text: told } = data.rules;
  if (words.length === 0 || data.roleOf(userId) !== "member") return [];
  data.compiledRules ??= compileRules([
    {
      id: data.roomId,
      version: 1,
      name: "",
      scope: { kind: "room", room_id: data.roomId },
      trigger: { kind: "words", words, allow },
      action: { kind: "block", text: told },
    },
  ]);
  return data.compiledRules.find(text, { roomId: data.roomId });
}

/** Returns what a member may show of a text by the room's own rules. */
export function maskOwn(data: RoomData, userId: string, text: string): string {
  if (data.rules.action !== "mask") return text;
  const findings = findOwn(data, userId, text);
  if (findings.length > 0) metrics.ruleActions.inc({ trigger: "room", action: "mask" });
  return masked(text, findings);
}

/**
 * Returns the refusal of a text by the room's own rules, if it mutes its author: that is kept before they are told.
 * @throws CONTENT_BLOCKED for one that doesn't
 */
export function refuseOwn(
  data: RoomData,
  userId: string,
  { text, nowMs }: { readonly text: string; readonly nowMs: number },
): VoiceDecision<never> | undefined {
  const { action, minutes, text: told } = data.rules;
  if (action === "mask" || findOwn(data, userId, text).length === 0) return undefined;
  metrics.ruleActions.inc({ trigger: "room", action });
  const error = new DomainError("CONTENT_BLOCKED", told || undefined);
  if (action === "block") throw error;
  return {
    ...mute(data, userId, { minutes, nowMs }),
    reply: () => {
      throw error;
    },
  };
}

/** Part of a decision: keeps someone from writing, or lets them again after 0 minutes. */
export function mute(
  data: RoomData,
  userId: string,
  { minutes, nowMs }: { readonly minutes: number; readonly nowMs: number },
) {
  const others = data.live.chatMutes.filter((one) => one.userId !== userId && one.untilMs > nowMs);
  const untilMs = nowMs + minutes * 60_000;
  const muted_until = minutes > 0 ? new Date(untilMs).toISOString() : null;
  return {
    next: { ...data.live, chatMutes: minutes > 0 ? [...others, { userId, untilMs }] : others },
    events: (): Outgoing[] => [
      { event: "chat:muted", payload: { room_id: data.roomId, muted_until }, users: [userId] },
    ],
  };
}

/** What the host and moderators don't want to be said. */
export const ruleActions = {
  "room:rules": {
    decide: (data, ask) => {
      accessRunner(data, ask);
      return { reply: () => data.rules };
    },
  },

  "room:set_rules": {
    decide: (data, ask) => {
      const { userId } = accessRunner(data, ask);
      assertMayTell(ask, [ask.input.text]);
      const text = checkContent("room_text", ask.input.text, { ...whereIn(data), userId });
      const rules = { ...ask.input, text };
      return {
        durable: (tx) => storeRoomRules(tx, data.roomId, rules, userId),
        apply: () => {
          data.rules = rules;
          data.compiledRules = undefined;
        },
        reply: () => rules,
      };
    },
  },
} satisfies VoiceActions;

import { setInterval } from "node:timers";
import type { DomainEvent } from "#shared/contracts/domain-events.ts";
import { logger } from "#shared/kernel/logger.ts";
import { onWake } from "./outbox.ts";
import { Loop, type Rest } from "./outbox-loop.ts";
import { OutboxPusher, type Pushes } from "./outbox-pusher.ts";
import { type LogEvents, OutboxRecorder, type RecordEvents } from "./outbox-recorder.ts";
import { type OutboxRoute, OutboxRouter } from "./outbox-router.ts";
import { recordSlot, routeSlot, Slots } from "./outbox-slots.ts";
import { onRelayPool } from "./sequelize.ts";

/** The consequences of domain events. */
export interface EventConsumers extends Pushes {
  routeOf(event: DomainEvent): OutboxRoute;
  /** Writes what follows from the events of one topic, once. */
  readonly record: RecordEvents;
  /** Keeps recorded events, once. */
  readonly log?: LogEvents;
}

export interface Relay {
  /** Looks for work in a slot now. Called when another process has created some. */
  wake(slot: number): void;
  /** Stops after the work in progress. Other processes take over the rest at once. */
  stop(): Promise<void>;
}

/** How the relays of several processes wake each other. */
export interface Waking {
  /** Wakes the relays that own these slots. */
  readonly wakeOthers: (slots: readonly number[]) => void;
  /** Called with slots that this process owns from now on, or no longer: it is woken for those that it owns. */
  readonly owns: (slots: readonly number[], isOwner: boolean) => void;
}

const alone: Waking = { wakeOthers: () => {}, owns: () => {} };

/** How often a relay looks for free slots, retries that are due, and events whose wake-up got lost. */
const lookMs = 500;
/** Records can wait, unlike pushes; and a batch of many events costs little more than one of a few. */
const recordingRest: Rest = { factor: 3, maxMs: 100 };

/**
 * Starts the relay of this process, which delivers domain events. Several processes share the work by slots: an owner
 * that dies is replaced within 2 s.
 */
export function startRelay({ routeOf, record, log, ...pushes }: EventConsumers, { wakeOthers, owns } = alone): Relay {
  const slots = new Slots({
    taken: (taken) => {
      owns(taken, true);
      pusher.take(taken);
      // Another process may have stored deliveries until now.
      if (taken.includes(routeSlot)) router.readAgain();
      if (taken.includes(routeSlot) || taken.includes(recordSlot)) recorder.readAgain();
      wakeAll();
    },
    left: async (left) => {
      owns(left, false);
      if (left.includes(routeSlot)) await routing.settled();
      if (left.includes(routeSlot) || left.includes(recordSlot)) await endRecording(recording, recorder, router);
      await pusher.leave(left);
    },
  });
  const recorder = new OutboxRecorder(slots, record, log);
  const pusher = new OutboxPusher(slots, onRelay(pushes), () => pushing.wake());
  const router = new OutboxRouter(slots, routeOf, { recorder, pusher });

  const routing = new Loop(async () => {
    const { filled, more } = await router.step();
    if (filled.includes(recordSlot)) recording.wake(recorder.hasFullBatch);
    if (filled.some((slot) => slot !== recordSlot && slots.owns(slot))) pushing.wake();
    const others = filled.filter((slot) => !slots.owns(slot));
    if (others.length > 0) wakeOthers(others);
    return more;
  });
  const recording = new Loop(() => onRelayPool(() => recorder.step()), recordingRest);
  const pushing = new Loop(() => pusher.step());
  const looking = new Loop(async () => {
    await slots.balance();
    await router.observe();
    wakeAll();
    pusher.tick();
    return false;
  });

  function wake(slot: number): void {
    if (slot === recordSlot) recorder.look();
    const loop = { [routeSlot]: routing, [recordSlot]: recording }[slot] ?? pushing;
    loop.wake();
  }
  const wakeAll = () => [routeSlot, recordSlot, recordSlot + 1].forEach(wake);
  onWake(() => (slots.owns(routeSlot) ? routing.wake() : wakeOthers([routeSlot])));
  looking.wake();
  const timer = setInterval(() => looking.wake(), lookMs);

  return {
    wake,
    stop: async () => {
      clearInterval(timer);
      onWake(() => {});
      await Promise.all([looking, routing, recording, pushing].map((loop) => loop.stop()));
      await slots.close();
      await pusher.stop();
    },
  };
}

const onRelay = ({ push, pushBatch }: Pushes): Pushes => ({
  push: (event, target) => onRelayPool(() => push(event, target)),
  pushBatch: (topic) => {
    const push = pushBatch?.(topic);
    return push && ((payloads, target) => onRelayPool(() => push(payloads, target)));
  },
});

async function endRecording(recording: Loop, recorder: OutboxRecorder, router: OutboxRouter): Promise<void> {
  await recording.settled();
  const failed = (error: unknown) => logger.warn({ err: error }, "outbox relay left its work in disorder");
  await onRelayPool(() => recorder.finish()).catch(failed);
  router.readAgain();
}

import { setInterval } from "node:timers";
import type { DomainEvent } from "#shared/contracts/domain-events.ts";
import { logger } from "#shared/kernel/logger.ts";
import { onWake } from "./outbox.ts";
import { Loop } from "./outbox-loop.ts";
import { OutboxPusher, type PushEvent } from "./outbox-pusher.ts";
import { OutboxRecorder, type RecordEvents } from "./outbox-recorder.ts";
import { type OutboxRoute, OutboxRouter } from "./outbox-router.ts";
import { recordSlot, routeSlot, Slots } from "./outbox-slots.ts";
import { onRelayPool } from "./sequelize.ts";

/** The consequences of domain events. */
export interface EventConsumers {
  routeOf(event: DomainEvent): OutboxRoute;
  /** Writes what follows from the events of one topic, once. */
  readonly record: RecordEvents;
  /** Notifies one target. May happen twice. */
  readonly push: PushEvent;
}

export interface Relay {
  /** Looks for work now. Called when another process has created some. */
  wake(): void;
  /** Stops after the work in progress. Other processes take over the rest at once. */
  stop(): Promise<void>;
}

/** How often a relay looks for free slots, retries that are due, and events whose wake-up got lost. */
const lookMs = 500;

/**
 * Starts the relay of this process, which delivers domain events. Several processes share the work by slots: an owner
 * that dies is replaced within 2 s. `wakeOthers` wakes the relays of the other processes.
 */
export function startRelay(
  { routeOf, record, push }: EventConsumers,
  { wakeOthers = () => {} }: { wakeOthers?: () => void } = {},
): Relay {
  const slots = new Slots({
    taken: (taken) => {
      pusher.take(taken);
      // Another process may have stored deliveries until now.
      if (taken.includes(routeSlot)) router.readAgain();
      if (taken.includes(routeSlot) || taken.includes(recordSlot)) recorder.readAgain();
      wake();
    },
    left: async (left) => {
      if (left.includes(routeSlot)) await routing.settled();
      if (left.includes(routeSlot) || left.includes(recordSlot)) await endRecording(recording, recorder, router);
      await pusher.leave(left);
    },
  });
  const recorder = new OutboxRecorder(slots, record);
  const pusher = new OutboxPusher(
    slots,
    (event, target) => onRelayPool(() => push(event, target)),
    () => pushing.wake(),
  );

  const router = new OutboxRouter(slots, routeOf, { recorder, pusher });

  const routing = new Loop(async () => {
    const { filled, more } = await router.step();
    if (filled.includes(recordSlot)) recording.wake();
    if (filled.some((slot) => slot !== recordSlot && slots.owns(slot))) pushing.wake();
    if (filled.some((slot) => !slots.owns(slot))) wakeOthers();
    return more;
  });
  const recording = new Loop(() => onRelayPool(() => recorder.step()));
  const pushing = new Loop(() => pusher.step());
  const looking = new Loop(async () => {
    await slots.balance();
    await router.observe();
    wake();
    pusher.tick();
    return false;
  });

  function wake(): void {
    recorder.look();
    for (const loop of [routing, recording, pushing]) loop.wake();
  }
  onWake(() => (slots.owns(routeSlot) ? routing.wake() : wakeOthers()));
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

async function endRecording(recording: Loop, recorder: OutboxRecorder, router: OutboxRouter): Promise<void> {
  await recording.settled();
  const failed = (error: unknown) => logger.warn({ err: error }, "outbox relay left its work in disorder");
  await onRelayPool(() => recorder.finish()).catch(failed);
  router.readAgain();
}

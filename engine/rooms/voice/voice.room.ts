import type { Client } from "@colyseus/core";
import { voiceActions } from "#shared/contracts/actions.ts";
import type { RoomAction } from "#shared/contracts/actors.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { changedParts } from "#shared/domain/rooms/live.ts";
import { isNewest, saveLive } from "#shared/domain/rooms/room-state.ts";
import { queueVoiceSync, voiceConfigured } from "#shared/domain/voice/voice-sync.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import { authenticateNative, NativeDoor, type NativeHost } from "../../bridge/native-door.ts";
import { ActorRoom, type Command, RetiredError } from "../../core/actor-room.ts";
import { voiceRoomKind } from "../../core/kinds.ts";
import { toServerError } from "../../core/refusal.ts";
import { engine } from "../../engine.ts";
import { chatActions } from "./chat.actions.ts";
import type { Action, Decision, DoorEffects, Outgoing } from "./decision.ts";
import { expiry } from "./expiry.ts";
import { loadRoom } from "./load-room.ts";
import { lostConnections } from "./lost-connections.ts";
import { departure, peopleActions } from "./people.actions.ts";
import { readActions } from "./read.actions.ts";
import { roomActions } from "./room.actions.ts";
import type { RoomData } from "./room-data.ts";
import { seatActions } from "./seats.actions.ts";
import { differLastingly, rightsChanged } from "./seats.rules.ts";
import { serviceActions } from "./service.actions.ts";
import { projectMember, projectRoom, projectSeats, showsMember, VoiceState } from "./voice.state.ts";
import { arrive, depart } from "./whereabouts.ts";

/** Speaking and gifts on seats are announced at most four times a second. */
const coalesceMs = 250;
const tickMs = 1000;
/** An actor with nobody in its room ends after so long. */
const idleMs = 60_000;
const fenceEveryTicks = 5;

type AnyAction = Action<never, unknown>;

/**
 * The actor of one voice room: the only owner of who is in it, who sits where, and who asks for what. Each action goes
 * decide → commit → apply → push → reply, one at a time; three doors lead here, all through `perform`.
 */
export class VoiceRoom extends ActorRoom<VoiceState> implements NativeHost {
  override state = new VoiceState();
  protected override readonly kind = voiceRoomKind;

  #data!: RoomData;
  #actions!: Record<RoomAction, AnyAction>;
  #native!: NativeDoor;
  #seatsDirty = false;
  #idleSinceMs = clock.now();
  #ticks = 0;
  /** Processes that hold connections to it and were not found when it looked last. */
  readonly #missed = new Set<string>();

  static override onAuth = authenticateNative(voiceRoomKind, "room_id");

  protected override async open(roomId: string): Promise<void> {
    this.#data = await loadRoom(roomId, clock.now());
    this.#actions = {
      ...peopleActions((userId, joinId) => arrive(this.roomId, userId, joinId)),
      ...seatActions,
      ...chatActions((outgoing) => this.#push(outgoing)),
      ...readActions,
      ...roomActions,
      ...serviceActions(),
    } as unknown as Record<RoomAction, AnyAction>;
    this.#native = new NativeDoor(this, Object.keys(voiceActions));
    this.#project();
    this.#publishCounts();
    this.clock.setInterval(() => void this.#tick(), tickMs);
    this.clock.setInterval(() => this.#flushSeats(), coalesceMs);
  }

  override async onJoin(client: Client, options: { password?: string }): Promise<void> {
    const refusal = await this.#native.join(client, options);
    if (refusal) throw toServerError(refusal);
  }

  override onDrop(client: Client): Promise<void> {
    return this.#native.drop(client);
  }

  override onReconnect(client: Client): Promise<void> {
    return this.#native.reconnect(client);
  }

  override onLeave(client: Client, code?: number): Promise<void> {
    return this.#native.leave(client, code);
  }

  protected override async close(): Promise<void> {
    await engine().counts.clear(this.roomId);
  }

  readonly joinAction = "room:join";

  mayReturn(userId: string): boolean {
    return this.#data.members.has(userId);
  }

  protected override async act({ caller, action, input, connection }: Command): Promise<unknown> {
    const spec = this.#actions[action as RoomAction];
    if (!spec) throw new Error(`the voice room has no action ${action}`);
    const checked = caller ? this.#check(action, input) : input;
    const ask = { caller, input: checked as never, nowMs: clock.now(), ...(connection && { connection }) };
    const prepared = await spec.prepare?.(this.#data, ask);
    const turn = () => {
      // It ended while this was prepared: the successor is asked.
      if (caller && this.retired) throw new RetiredError();
      // The actor of a closed room stays for a moment, so that everybody is told.
      if (caller && this.#data.row.status === "closed") throw new DomainError("ROOM_CLOSED");
      return this.#turn(() => spec.decide(this.#data, ask, prepared));
    };
    const { decision, reply } = await this.mailbox.run(turn, { beyondLimit: caller === null });
    return decision.later ? decision.later(reply) : reply;
  }

  /** Client events carry `room_id`, which has brought them here; inputs of the service are made by our own code. */
  #check(action: string, input: unknown): unknown {
    const spec = (voiceActions as Record<string, (typeof voiceActions)[keyof typeof voiceActions]>)[action];
    if (!spec) return input;
    const isObject = typeof input === "object" && !Array.isArray(input);
    return checkInput(spec.payload, isObject ? { ...input, room_id: this.roomId } : input);
  }

  /** One turn of the mailbox. Without anything to write it takes no turn of the event loop. */
  #turn(decide: () => Decision): Turn | Promise<Turn> {
    const decision = decide();
    if (!this.#mustCommit(decision)) return this.#carryOut(decision);
    return this.#commit(decision).then(() => this.#carryOut(decision));
  }

  #mustCommit({ live, durable, voice }: Decision): boolean {
    if (durable) return true;
    if (voice && voice.length > 0 && voiceConfigured()) return true;
    const now = this.#data.live;
    if (!live || live === now) return false;
    return changedParts(now, live).some((part) => part !== "seats" || differLastingly(now.seats, live.seats));
  }

  async #commit({ live = this.#data.live, durable, voice = [] }: Decision): Promise<void> {
    const { roomId, epoch } = this.#data;
    const users = new Set([...voice, ...rightsChanged(this.#data.live.seats, live.seats)]);
    await inTransaction(async (tx) => {
      await saveLive(tx, roomId, epoch, live);
      await durable?.(tx);
      if (users.size > 0) await queueVoiceSync(tx, roomId, [...users]);
    });
  }

  #carryOut(decision: Decision): Turn {
    const before = this.#data.live;
    if (decision.live) this.#data.live = decision.live;
    decision.apply?.();
    this.#forgetGifts();
    const changed = this.#data.live.seats !== before.seats;
    const events = decision.events?.() ?? [];
    // Whoever is put out is told why before the room lets go of his connections.
    for (const outgoing of events) if (outgoing.users) this.#push(outgoing);
    decision.effects?.(this.#doors);
    for (const outgoing of events) if (!outgoing.users) this.#push(outgoing);
    if (changed && differLastingly(before.seats, this.#data.live.seats)) this.#announceSeats();
    else if (changed || decision.touchesSeats) this.#seatsDirty = true;
    if (decision.apply || changedParts(before, this.#data.live).length > 0) this.#project();
    return { decision, reply: decision.reply() };
  }

  /** Gifts count for one sitting. */
  #forgetGifts(): void {
    const { giftsReceived, live } = this.#data;
    for (const userId of giftsReceived.keys())
      if (!live.seats.some((seat) => seat.userId === userId)) giftsReceived.delete(userId);
  }

  readonly #doors: DoorEffects = {
    admit: (connection) => {
      engine().fanout.admit(connection, this.roomId);
      this.#native.admit(connection);
    },
    expel: (userId, joinId, asking) => {
      engine().fanout.expel(userId, this.roomId);
      this.#native.expel(userId, asking);
      depart(userId, joinId);
    },
    end: (userIds) => {
      engine().presence.moved(userIds);
      this.clock.setTimeout(() => {
        engine().fanout.dissolve(this.roomId);
        this.end();
      }, coalesceMs);
    },
  };

  #push({ event, payload, users, passing }: Outgoing, options: { volatile?: boolean } = {}): void {
    if (users) {
      if (!passing) this.#data.log.addFor(users, event, payload);
      engine().fanout.toUsers(users, event, payload);
      return;
    }
    const numbered = this.#data.log.add(event, payload);
    this.state.seq = numbered.seq;
    engine().fanout.toRoom(this.roomId, event, numbered, options);
    if (this.clients.length > 0) this.broadcast(event, numbered);
  }

  #announceSeats(options: { volatile?: boolean } = {}): void {
    this.#seatsDirty = false;
    const version = this.#data.log.seq + 1;
    this.#data.version = version;
    const seats = this.#data.seatViews();
    this.#push({ event: "room:seats_updated", payload: { room_id: this.roomId, seats, version } }, options);
  }

  #flushSeats(): void {
    if (!this.#seatsDirty) return;
    this.#announceSeats({ volatile: true });
    projectSeats(this.state, this.#data.seatViews(), this.#data.version);
  }

  /** Brings the mirror that native clients see up to date. */
  #project(): void {
    const data = this.#data;
    projectRoom(this.state, data.row);
    projectSeats(this.state, data.seatViews(), data.version);
    for (const userId of this.state.members.keys()) if (!data.members.has(userId)) this.state.members.delete(userId);
    for (const [userId, { card }] of data.members)
      if (!showsMember(this.state, card, data.roleOf(userId))) projectMember(this.state, data.memberView(userId));
    this.#publishCounts();
  }

  #published = "";

  #publishCounts(): void {
    const counts = this.#data.counts();
    const text = JSON.stringify(counts);
    if (text === this.#published) return;
    this.#published = text;
    engine()
      .counts.set(this.roomId, counts)
      .catch((error: unknown) => {
        this.#published = "";
        logger.warn({ err: error }, "live counts were not published");
      });
  }

  /** Once a second: what time brings about. */
  async #tick(): Promise<void> {
    if (this.retired) return;
    this.#ticks += 1;
    try {
      await this.mailbox.run(() => {
        const decision = expiry(this.#data, clock.now());
        return decision && this.#turn(() => decision);
      });
      for (const [userId, { leaveAtMs }] of this.#data.members)
        if (leaveAtMs !== null && leaveAtMs <= clock.now()) await this.#dismiss(userId);
      if (this.#ticks % fenceEveryTicks === 0) await this.#confirm();
    } catch (error) {
      if (error instanceof StaleActorError) return this.retire();
      logger.warn({ err: error, roomId: this.roomId }, "a room's tick failed; it comes again");
    }
    this.#endWhenIdle();
  }

  /** Is it still the owner? Then its counts are written again, in case that Redis has forgotten them, and it looks who is lost. */
  async #confirm(): Promise<void> {
    if (!(await isNewest(this.roomId, this.#data.epoch))) return this.retire();
    this.#published = "";
    this.#publishCounts();
    const { directory } = engine();
    for (const connection_id of await lostConnections(this.#data, this.#missed, (id) => directory.hasDied(id)))
      await this.perform({ caller: null, action: "connection:drop", input: { connection_id } });
  }

  /** Somebody's time to come back is over, unless he came meanwhile. */
  async #dismiss(userId: string): Promise<void> {
    await this.mailbox.run(() => {
      const leaveAtMs = this.#data.members.get(userId)?.leaveAtMs ?? null;
      if (leaveAtMs === null || leaveAtMs > clock.now()) return undefined;
      return this.#turn(() => departure(this.#data, userId, "disconnected"));
    });
  }

  #endWhenIdle(): void {
    if (this.#data.members.size > 0 || this.clients.length > 0) this.#idleSinceMs = clock.now();
    else if (clock.now() - this.#idleSinceMs > idleMs) this.end();
  }
}

interface Turn {
  readonly decision: Decision;
  readonly reply: unknown;
}

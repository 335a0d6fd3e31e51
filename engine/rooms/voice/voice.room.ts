import { voiceActions } from "#shared/contracts/actions.ts";
import type { LiveCounts } from "#shared/contracts/actors.ts";
import { service } from "#shared/contracts/principal.ts";
import { isNewestEpoch } from "#shared/db/epochs.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { changedParts, type Live } from "#shared/domain/live/rooms/live.ts";
import { saveLive } from "#shared/domain/live/rooms/room-state.ts";
import { queueVoiceSync } from "#shared/domain/live/voice/voice-sync.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import { crowdMin } from "../../bridge/frame-gathering.ts";
import { NativeRoom } from "../../bridge/native-room.ts";
import type { ActorResult } from "../../core/any-actor-room.ts";
import type { Command } from "../../core/command.ts";
import type { ActionTable, Ask, Outgoing } from "../../core/decision.ts";
import { attempt } from "../../core/failures.ts";
import { liveRooms } from "../../core/live-rooms.ts";
import { engine } from "../../engine.ts";
import { chatActions } from "./chat.actions.ts";
import { nameMembers } from "./crowd.ts";
import { expiry, hasExpired } from "./expiry.ts";
import { loadRoom } from "./load-room.ts";
import { hasRemoteConnections, lostConnections } from "./lost-connections.ts";
import { checkOwnership, type Owner } from "./ownership.ts";
import { departure, memberUpdated, peopleActions } from "./people.actions.ts";
import { readActions } from "./read.actions.ts";
import { Recall } from "./recall.ts";
import { roomActions } from "./room.actions.ts";
import type { RoomData } from "./room-data.ts";
import { seatActions } from "./seats.actions.ts";
import { differDurably, rightsChanged } from "./seats.rules.ts";
import { serviceActions } from "./service.actions.ts";
import { Mirror, type VoiceState } from "./voice.state.ts";
import { recordMembers } from "./whereabouts.ts";

/** Speaking, gifts on seats, hearts, and a crowd's cheap gifts are announced at most four times a second. */
const coalesceMs = 250;
/** An actor stops after its room has been empty for this long. */
const idleMs = 60_000;
const checkEveryTicks = 5;
/** Actions that bring or end a connection themselves. */
const comesAnyway: ReadonlySet<string> = new Set(["room:join", "room:rejoin", "room:leave"]);

const actions: ActionTable<"voice_room", RoomData, Live> = {
  ...peopleActions,
  ...seatActions,
  ...chatActions,
  ...readActions,
  ...roomActions,
  ...serviceActions,
};

/** The actor of one voice room: the single owner of its members, seats, and seat requests. */
export class VoiceRoom extends NativeRoom<"voice_room", RoomData, Live, VoiceState> implements Owner {
  override readonly kind = "voice_room";
  protected override readonly actions = actions;
  protected override readonly joinAction = "room:join";
  protected override readonly ownEvents = Object.keys(voiceActions);

  #idleSinceMs = clock.now();
  /** `room:closed` is the last event of a room. */
  #closingPushed = false;
  #ticks = 0;
  readonly #recall = new Recall();
  /** Processes that hold connections to it and were missing at the last check. */
  readonly #missed = new Set<string>();

  protected override load(roomId: string): Promise<RoomData> {
    return loadRoom(roomId);
  }

  protected override begin(): void {
    this.#sayCounts(this.data.counts());
    if (this.data.epoch > 1) engine().fanout.actorBegan({ roomId: this.roomId, epoch: this.data.epoch });
  }

  override async onDispose(): Promise<void> {
    clearTimeout(this.#flush);
    this.#sayCounts({ member_count: 0, seated_count: 0 });
    await super.onDispose();
  }

  /** Most rooms have no native clients, and a state takes 40 KB. */
  #mirror: Mirror | undefined;

  protected override makeState(): void {
    if (!this.#mirror) {
      // It is filled when the room has it: clients could not decode the patches of a state that was filled before.
      this.#mirror = new Mirror(this.data);
      this.state = this.#mirror.state;
      this.#mirror.fill();
    }
    this.#mirror.number();
  }

  protected override mayReturn(userId: string): boolean {
    return this.data.members.has(userId);
  }

  /** The actor of a closed room stays for a moment, so that its events reach everyone. */
  protected override assertOpenFor({ principal }: Ask<unknown>): void {
    if (principal.kind !== "service" && this.data.row.status === "closed") throw new DomainError("ROOM_CLOSED");
  }

  /** Changes in who is speaking aren't stored: they wouldn't survive a crash anyway. */
  protected override mustSave(next: Live): boolean {
    const now = this.data.live;
    if (next === now) return false;
    return changedParts(now, next).some((part) => part !== "seats" || differDurably(now.seats, next.seats));
  }

  protected override async save(tx: Tx, next: Live): Promise<void> {
    const { roomId, epoch, live } = this.data;
    await saveLive(tx, roomId, epoch, next, live);
    await queueVoiceSync(tx, roomId, [...rightsChanged(live.seats, next.seats)]);
  }

  protected override applied(before: Live): void {
    if (this.#closingPushed) return;
    const { live } = this.data;
    const changed = live.seats !== before.seats;
    if (changed && differDurably(before.seats, live.seats)) this.#announceSeats();
    else if (changed) this.data.seatsDirty = true;
    if (this.data.seatsDirty || this.data.hearts > 0 || this.data.gifts.hasMerged) this.announceSoon();
    for (const userId of nameMembers(this.data)) {
      this.data.changedMembers.add(userId);
      for (const outgoing of memberUpdated(this.data, userId)) this.push(outgoing);
    }
    this.#sayCounts(this.data.counts());
    if (this.#mirror) this.#mirror.project({ seats: changed });
    else this.data.changedMembers.clear();
  }

  /** A member who acts is connected, though nothing told this actor so: what processes tell each other can be lost. */
  override perform(command: Command): Promise<ActorResult> {
    if (!this.#isAway(command)) return super.perform(command);
    return super.perform({ ...command, action: "room:rejoin", input: {} }).then(() => super.perform(command));
  }

  #isAway({ principal, action, connection }: Command): boolean {
    if (principal.kind !== "user" || !connection || comesAnyway.has(action)) return false;
    return this.data?.members.get(principal.userId)?.connections.size === 0;
  }

  override push(outgoing: Outgoing, options: { volatile?: boolean } = {}): void {
    if (outgoing.users) {
      if (!outgoing.passing) this.data.log.addFor(outgoing.users, outgoing);
      engine().fanout.toUsers(outgoing.users, outgoing);
      return;
    }
    if (this.#closingPushed) return;
    this.#closingPushed = outgoing.event === "room:closed";
    const numbered = this.data.log.add(outgoing);
    // A message has its number with it: a patch beside each would cost as much again.
    if (outgoing.event !== "room:new_message") this.#mirror?.number();
    this.pushToAll(numbered, { ...options, isCrowd: this.data.members.size >= crowdMin });
  }

  #announceSeats(options: { volatile?: boolean } = {}): void {
    this.data.seatsDirty = false;
    const version = this.data.log.seq + 1;
    this.data.version = version;
    const seats = this.data.seatViews();
    this.push({ event: "room:seats_updated", payload: { room_id: this.roomId, seats, version } }, options);
  }

  #flush: NodeJS.Timeout | undefined;
  override announceSoon(): void {
    this.#flush ??= setTimeout(() => this.#announce(), coalesceMs);
  }

  /** What has gathered until now is in no successor. */
  override rejectAll(): void {
    this.#announce();
    super.rejectAll();
  }

  /** Runs from a timer, too: what can't be pushed ends nothing. */
  #announce(): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    // They have no number: a client that misses them asks for nothing.
    if (this.data.hearts > 0) attempt(this.roomId, () => this.pushToAll(this.data.takeHearts(), { volatile: true }));
    if (!this.isEnding)
      for (const gathered of this.data.takeGathered()) attempt(this.roomId, () => this.push(gathered));
    if (!this.data.seatsDirty || this.isEnding) return;
    attempt(this.roomId, () => this.#announceSeats({ volatile: true }));
    this.#mirror?.seats();
  }

  #said = { member_count: 0, seated_count: 0, category: "" };

  /** Shows in lists how many people are in the room. */
  #sayCounts(counts: LiveCounts): void {
    if (!this.data) return;
    const { member_count, seated_count } = counts;
    const { category } = this.data.row;
    const said = this.#said;
    if (member_count === said.member_count && seated_count === said.seated_count && category === said.category) return;
    this.#said = { ...counts, category };
    liveRooms.say({ roomId: this.roomId, epoch: this.data.epoch, ...counts });
  }

  get epoch(): number {
    return this.data.epoch;
  }

  get memberCount(): number {
    return this.data.members.size;
  }

  override isNewest(): Promise<boolean> {
    return isNewestEpoch("room_states", this.roomId, this.epoch);
  }

  supersede(): void {
    this.retire();
  }

  recordMembers(): Promise<void> {
    return recordMembers(this.data);
  }

  override tick(): void {
    if (this.isEnding) return;
    attempt(this.roomId, () => this.#announceCount());
    this.#mirror?.number();
    this.#ticks += 1;
    this.#recall.tick(this.data);
    const isCheck = this.#ticks % checkEveryTicks === 0;
    if (isCheck) checkOwnership(this);
    if (!this.#working) {
      const nowMs = clock.now();
      const looksForLost = isCheck && hasRemoteConnections(this.data);
      if (this.#hasLeavers(nowMs) || hasExpired(this.data.live, nowMs) || looksForLost)
        void this.#carryOut(looksForLost);
    }
    this.#endWhenIdle();
  }

  /** Tells once a second how many have come and gone who are only counted. */
  #announceCount(): void {
    const change = this.data.crowd.takeChange();
    if (!change) return;
    const payload = { room_id: this.roomId, ...change, member_count: this.data.members.size };
    this.push({ event: "room:members_counted", payload });
  }

  #hasLeavers(nowMs: number): boolean {
    return this.data.members.values().some(({ leaveAtMs }) => leaveAtMs !== null && leaveAtMs <= nowMs);
  }

  /** What a tick has begun is in progress. */
  #working = false;

  /** Never rejects. */
  async #carryOut(looksForLost: boolean): Promise<void> {
    this.#working = true;
    try {
      await this.act(() => expiry(this.data, clock.now()));
      for (const [userId, { leaveAtMs }] of this.data.members)
        if (leaveAtMs !== null && leaveAtMs <= clock.now()) await this.#dismiss(userId);
      if (looksForLost) await this.#dropLost();
    } catch (error) {
      if (error instanceof StaleActorError) return this.retire();
      logger.warn({ err: error, roomId: this.roomId }, "a room's tick failed; it will be repeated");
    } finally {
      this.#working = false;
    }
  }

  async #dropLost(): Promise<void> {
    const { directory, presence } = engine();
    const lost = await lostConnections(this.data, this.#missed, (id) => directory.hasDied(id));
    if (lost.length > 0) this.#recall.begin();
    // First, so that the room sees whether the user is still online.
    await Promise.all(lost.map(({ processId }) => presence.processDied(processId)));
    for (const { id: connection_id } of lost)
      await this.perform({ principal: service, action: "connection:drop", input: { connection_id } });
  }

  /** Removes a member whose grace period is over, unless they came back meanwhile. */
  async #dismiss(userId: string): Promise<void> {
    await this.act(() => {
      const leaveAtMs = this.data.members.get(userId)?.leaveAtMs ?? null;
      if (leaveAtMs === null || leaveAtMs > clock.now()) return undefined;
      return departure(this.data, userId, "disconnected");
    });
  }

  #endWhenIdle(): void {
    if (this.data.members.size > 0 || this.clients.length > 0) this.#idleSinceMs = clock.now();
    else if (clock.now() - this.#idleSinceMs > idleMs) this.end();
  }
}

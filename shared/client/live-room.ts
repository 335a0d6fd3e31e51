import { Emitter } from "./emitter.ts";
import { HubbubError, isHubbubError } from "./errors.ts";
import type { LineEvents, RoomLine, Services } from "./ports.ts";
import { repeated, untilAnswered } from "./repeat.ts";
import { eventNames, type Payload, type Reply, type RoomAction } from "./room-events.ts";
import { RoomFeed } from "./room-feed.ts";
import { RoomLists } from "./room-lists.ts";
import { type NumberedEvent, RoomPicture } from "./room-picture.ts";
import type { Operations, ReactionCount, Room, RoomMessage, SeatRequest, ServerEvents } from "./social.generated.ts";
import { backoff, newKey, sleep, within } from "./timing.ts";

type Names = typeof eventNames;

export interface RoomEnd {
  /** `refused`: you couldn't come back after a lost connection; `error` says why. */
  readonly reason: ServerEvents["room:left"]["reason"] | "logged_out" | "refused";
  readonly error?: unknown;
}

export type RoomEvents = { [E in keyof Names as Names[E]]: ServerEvents[E] } & {
  /** The state, the messages, or the requests have changed. */
  readonly change: Room;
  /** You are no longer in the room. The last event. */
  readonly end: RoomEnd;
};

/**
 * A room that the user is in. Its `state` is what the server has: after a gap or a lost connection, it heals by itself.
 */
export class LiveRoom {
  readonly id: string;
  readonly #services: Services;
  readonly #line: RoomLine;
  readonly #emitter = new Emitter<RoomEvents>();
  readonly #feed: RoomFeed;
  readonly #lists: RoomLists;
  readonly #userId: string;
  #picture: RoomPicture | undefined;
  #isIn = false;
  #end: RoomEnd | undefined;
  #restoring: Promise<void> | undefined;
  #announced = false;
  readonly #isOver = () => this.#end !== undefined;

  /** Adds a listener. Returns a function that removes it. */
  readonly on = this.#emitter.on;

  /** For `rooms.join`. */
  constructor(id: string, userId: string, services: Services, openLine: (events: LineEvents) => RoomLine) {
    this.id = id;
    this.#userId = userId;
    this.#services = services;
    this.#lists = new RoomLists(id, services, () => this.#changed());
    this.#feed = new RoomFeed({
      onEvent: (event, payload) => this.#happened(event, payload),
      onReset: (room) => this.#reset(room),
      onGap: (since_seq) => this.#ask("room:sync", { since_seq }, true),
      onFailure: (error) => void this.#retryHealing(error),
    });
    this.#line = openLine({
      onEvent: (event, payload) => this.#received(event, payload),
      onLost: () => void (this.#picture && this.#restore()),
    });
  }

  /** The room as it is now. A new object after each change. */
  get state(): Room {
    if (!this.#picture) throw new HubbubError("LEFT_ROOM", "You aren't in this room.");
    return this.#picture.snapshot;
  }

  /** What was said since you came in, and what `history` has loaded, the oldest first. */
  get messages(): readonly RoomMessage[] {
    return this.#lists.messages;
  }

  /** Pending seat requests: all of them for the host and moderators, your own otherwise. */
  get requests(): readonly SeatRequest[] {
    return this.#lists.requests;
  }

  /** Why you are no longer in the room; undefined while you are. */
  get ended(): RoomEnd | undefined {
    return this.#end;
  }

  /** For `rooms.join`. @throws HubbubError */
  async enter(): Promise<void> {
    const { tokens, retries } = this.#services;
    try {
      const room = await repeated(tokens, { retries, isRepeatable: true }, (token) => this.#line.enter(token));
      this.#isIn = true;
      this.#feed.start(room);
      await this.#loadRequests().catch(() => {});
    } catch (error) {
      this.finish({ reason: "refused", error });
      throw error;
    }
  }

  /** Sends any event of a room, and returns the data of its acknowledgement. @throws HubbubError */
  send<E extends RoomAction>(event: E, payload: Payload<E>): Reply<E> {
    return this.#ask(event, payload);
  }

  /** Sends a chat message, also with a picture, or as an answer. It is stored once, however often it is sent. */
  say(body: string, more: Omit<Payload<"room:message">, "body" | "client_id"> = {}): Reply<"room:message"> {
    return this.#ask("room:message", { body, ...more, client_id: newKey() }, true);
  }

  edit(message_id: string, body: string): Reply<"message:edit"> {
    return this.#ask("message:edit", { message_id, body });
  }

  /** Gives a reaction, or takes it back. */
  async react(message_id: string, emoji: string, mine = true): Promise<readonly ReactionCount[]> {
    const payload = { message_id, emoji };
    const { reactions } = await this.#ask(mine ? "message:react" : "message:unreact", payload, true);
    this.#lists.noteOwn(message_id, emoji, reactions, mine);
    return reactions;
  }

  pin(message_id: string, pinned = true): Reply<"message:pin"> {
    return this.#ask(pinned ? "message:pin" : "message:unpin", { message_id }, true);
  }

  heart(): Reply<"room:heart"> {
    return this.#ask("room:heart", {});
  }

  gift(body: Operations["sendGift"]["body"], idempotencyKey?: string) {
    return this.#services.rest.request("sendGift", { params: { id: this.id }, body, idempotencyKey });
  }

  audio(state: Payload<"audio:state">): Reply<"audio:state"> {
    return this.#ask("audio:state", state, true);
  }

  kick(user_id: string, more: Omit<Payload<"room:kick">, "user_id"> = {}): Reply<"room:kick"> {
    return this.#ask("room:kick", { user_id, ...more });
  }

  role(user_id: string, role: Payload<"room:role">["role"]): Reply<"room:role"> {
    return this.#ask("room:role", { user_id, role }, true);
  }

  /** 0 lifts the mute. */
  muteChat(user_id: string, minutes: number): Reply<"room:mute_chat"> {
    return this.#ask("room:mute_chat", { user_id, minutes }, true);
  }

  deleteMessage(message_id: string): Reply<"message:delete"> {
    return this.#ask("message:delete", { message_id });
  }

  voiceToken() {
    return this.#services.rest.request("createVoiceToken", { params: { id: this.id }, repeat: true });
  }

  async leave(): Promise<void> {
    try {
      await this.#ask("room:leave", {}, true);
    } catch (error) {
      const isOut = isHubbubError(error, "LEFT_ROOM", "NOT_A_MEMBER", "ROOM_CLOSED");
      if (!isOut) throw error;
    }
    this.finish({ reason: "left" });
  }

  readonly seats = {
    /** Without a number: any seat. */
    request: (seat_no?: number) => this.#ask("seat:request", { seat_no }),
    cancel: () => this.#ask("seat:cancel", {}),
    approve: (request_id: string) => this.#ask("seat:approve", { request_id }),
    reject: (request_id: string) => this.#ask("seat:reject", { request_id }),
    leave: () => this.#ask("seat:leave", {}),
    lock: (seat_no: number, locked: boolean) => this.#ask("seat:lock", { seat_no, locked }, true),
    mute: (seat_no: number, muted: boolean) => this.#ask("seat:mute", { seat_no, muted }, true),
    remove: (seat_no: number) => this.#ask("seat:remove", { seat_no }),
    invite: (user_id: string, seat_no?: number) => this.#ask("seat:invite", { user_id, seat_no }),
    accept: (seat_no?: number) => this.#ask("seat:accept_invite", { seat_no }),
  };

  /** Loads earlier messages into `messages`. Returns those; none if there are no earlier ones. */
  history(limit = 50): Promise<readonly RoomMessage[]> {
    return this.#lists.loadEarlier(limit);
  }

  /** Ends this object, without telling the server. */
  finish(end: RoomEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#isIn = false;
    this.#line.close();
    this.#emitter.emit("end", end);
  }

  #ask<E extends RoomAction>(event: E, payload: Payload<E>, isRepeatable = false): Reply<E> {
    const { tokens, retries, timeout } = this.#services;
    const asked = repeated(tokens, { retries, isRepeatable }, async (token) => {
      await within(timeout, this.#restoring);
      if (this.#end) throw new HubbubError("LEFT_ROOM", "You are no longer in this room.");
      return this.#line.send(event, { room_id: this.id, ...payload }, token);
    });
    return asked as Reply<E>;
  }

  #received(event: string, payload: unknown): void {
    if (this.#end) return;
    if (event !== "room:left") this.#feed.receive(event, payload);
    // While the connection is lost, it is about the time before.
    else if (this.#isIn) this.finish(payload as ServerEvents["room:left"]);
  }

  #reset(room: Room): void {
    const isFirst = this.#picture === undefined;
    if (this.#picture) this.#picture.replace(room);
    else this.#picture = new RoomPicture(room, this.#userId);
    this.#changed();
    if (isFirst) return;
    this.#lists.reloadMessages(this.#isOver);
    void untilAnswered(() => this.#loadRequests(), this.#isOver).catch(() => {});
    // The room has a new process, which keeps the user's place for a while, but doesn't know this line.
    if (!this.#picture.isConnected) void this.#restore();
  }

  #happened(event: string, payload: unknown): void {
    const before = this.#picture?.myRole;
    if ((payload as { seq?: number }).seq !== undefined)
      this.#picture?.apply(event as NumberedEvent, payload as ServerEvents[NumberedEvent]);
    this.#lists.apply(event, payload);
    this.#changed();
    if (this.#picture?.myRole !== before) void this.#loadRequests().catch(() => {});

    const name = eventNames[event as keyof Names] as keyof RoomEvents | undefined;
    if (name) this.#emitter.emit(name, payload as RoomEvents[typeof name]);
    if (event === "room:closed") this.finish({ reason: "closed" });
  }

  async #loadRequests(): Promise<void> {
    const role = this.#picture?.myRole;
    if (role === "host" || role === "moderator") await this.#lists.loadRequests();
  }

  /** Announces a change once, however many events come together. */
  #changed(): void {
    if (this.#announced) return;
    this.#announced = true;
    void Promise.resolve().then(() => {
      this.#announced = false;
      if (this.#picture) this.#emitter.emit("change", this.#picture.snapshot);
    });
  }

  async #retryHealing(error: unknown): Promise<void> {
    if (this.#end || this.#restoring) return;
    if (isHubbubError(error, "NOT_A_MEMBER")) return this.#restore();
    await sleep(backoff(2));
    if (!this.#end && !this.#restoring && this.#picture) this.#feed.catchUp(this.#picture.seq + 1);
  }

  /** Comes back after a lost connection, and learns what was missed. */
  #restore(): Promise<void> {
    if (this.#end) return Promise.resolve();
    this.#isIn = false;
    this.#restoring ??= this.#comeBack().finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  async #comeBack(): Promise<void> {
    const enter = async () => {
      await this.#line.ready();
      if (this.#end) return;
      if (await this.#isElsewhere()) return this.finish({ reason: "moved" });
      const token = await this.#services.tokens.token();
      const room = await this.#line.enter(token);
      this.#isIn = true;
      this.#feed.catchUp(room.seq);
    };
    await untilAnswered(enter, this.#isOver).catch((error: unknown) => this.finish({ reason: "refused", error }));
  }

  /** Whether the user has joined another room meanwhile, maybe on another device. Joining this one would end that. */
  async #isElsewhere(): Promise<boolean> {
    const { current_room } = await this.#services.rest.request("getMe");
    return current_room !== null && current_room.id !== this.id;
  }
}

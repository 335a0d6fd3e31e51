import type { HubbubError } from "./errors.ts";
import type { Services } from "./ports.ts";
import { untilAnswered } from "./repeat.ts";
import type { Operations, ReactionCount, RoomMessage, SeatRequest, ServerEvents } from "./social.generated.ts";

/** More messages than these are dropped, the oldest first. `history` gets them back. */
const messagesMax = 1000;

/** Messages of a page, at most. */
const pageMax = 100;

/** A room that has moved to another process doesn't know its listeners for a moment. */
const isFinal = ({ code }: HubbubError): boolean => code !== "NOT_A_MEMBER";

/** What belongs to a room beside its state: the chat, and pending seat requests. */
export class RoomLists {
  readonly #roomId: string;
  readonly #services: Services;
  readonly #onChange: () => void;
  #messages: readonly RoomMessage[] = [];
  #requests: readonly SeatRequest[] = [];
  /** Counts changes of requests, so that a list which was read meanwhile isn't taken for new. */
  #requestChanges = 0;
  #reloading: Promise<void> = Promise.resolve();

  constructor(roomId: string, services: Services, onChange: () => void) {
    this.#roomId = roomId;
    this.#services = services;
    this.#onChange = onChange;
  }

  get messages(): readonly RoomMessage[] {
    return this.#messages;
  }

  get requests(): readonly SeatRequest[] {
    return this.#requests;
  }

  /** Takes over what an event says. */
  apply(event: string, payload: unknown): void {
    if (event === "room:new_message") {
      const { message } = payload as ServerEvents["room:new_message"];
      if (!this.#messages.some(({ id }) => id === message.id))
        this.#messages = inOrder([...this.#messages, message]).slice(-messagesMax);
    } else if (event === "room:message_deleted") {
      const { message_id } = payload as ServerEvents["room:message_deleted"];
      this.#messages = this.#messages.filter(({ id }) => id !== message_id);
    } else if (event === "message:updated") {
      const { message_id, body, edited_at } = payload as ServerEvents["message:updated"];
      this.#change(message_id, () => ({ body, edited_at }));
    } else if (event === "message:reacted") {
      const { message_id, reactions } = payload as ServerEvents["message:reacted"];
      this.#change(message_id, (message) => ({ reactions: withOwn(reactions, message) }));
    } else if (event === "room:seat_requested" || event === "room:seat_request_updated") {
      const { request } = payload as ServerEvents["room:seat_requested"];
      const others = this.#requests.filter(({ id }) => id !== request.id);
      this.#requestChanges += 1;
      this.#requests = request.status === "pending" ? inOrder([...others, request]) : others;
    }
  }

  /** Notes that the user gave a reaction, or took it back: events only have sums. */
  noteOwn(messageId: string, emoji: string, reactions: readonly ReactionCount[], mine: boolean): void {
    this.#change(messageId, (message) => {
      const known = withOwn(reactions, message);
      return { reactions: known.map((one) => (one.emoji === emoji ? { ...one, mine } : one)) };
    });
    this.#onChange();
  }

  #change(messageId: string, fields: (message: RoomMessage) => Partial<RoomMessage>): void {
    this.#messages = this.#messages.map((message) =>
      message.id === messageId ? { ...message, ...fields(message) } : message,
    );
  }

  /** Loads earlier messages. Returns those; none if there are no earlier ones. */
  async loadEarlier(limit: number): Promise<readonly RoomMessage[]> {
    const page = await this.#page({ before: this.#messages[0]?.id, limit });
    const known = new Set(this.#messages.map(({ id }) => id));
    this.#setMessages([...page.filter(({ id }) => !known.has(id)), ...this.#messages]);
    return page;
  }

  /**
   * Loads what was said since the newest known message, after events were missed. Messages before that are dropped,
   * because they may have been deleted meanwhile. Repeats this until the server answers.
   */
  reloadMessages(isOver: () => boolean): void {
    // What is said from now on is known by events.
    const known = this.#messages.at(-1)?.id;
    const load = () => this.#loadSince(known);
    this.#reloading = this.#reloading.then(() => untilAnswered(load, isOver, isFinal)).catch(() => {});
  }

  async #loadSince(known: string | undefined): Promise<void> {
    let page = await this.#page({ limit: pageMax });
    let loaded = page;
    while (known && page.length === pageMax && page[0]!.id > known && loaded.length < messagesMax) {
      page = await this.#page({ before: page[0]!.id, limit: pageMax });
      loaded = [...page, ...loaded];
    }
    const newest = loaded.at(-1)?.id ?? "";
    this.#setMessages([...loaded, ...this.#messages.filter(({ id }) => id > newest)]);
  }

  /** Loads pending requests, for the host and moderators. */
  async loadRequests(): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const changes = this.#requestChanges;
      const requests = await this.#services.rest.request("listSeatRequests", { params: { id: this.#roomId } });
      if (changes !== this.#requestChanges) continue;
      this.#requests = requests;
      return this.#onChange();
    }
  }

  async #page(query: Operations["listRoomMessages"]["query"]): Promise<RoomMessage[]> {
    const { items } = await this.#services.rest.request("listRoomMessages", { params: { id: this.#roomId }, query });
    return [...items].reverse();
  }

  #setMessages(messages: readonly RoomMessage[]): void {
    this.#messages = messages;
    this.#onChange();
  }
}

/** IDs are ordered by time. */
const inOrder = <T extends { readonly id: string }>(items: readonly T[]): readonly T[] =>
  [...items].sort((one, other) => (one.id < other.id ? -1 : 1));

/** Returns reactions as the user sees them: which are theirs is known from before. */
const withOwn = (reactions: readonly ReactionCount[], { reactions: before = [] }: RoomMessage) =>
  reactions.map((one) => ({ ...one, mine: before.some(({ emoji, mine }) => emoji === one.emoji && mine) }));

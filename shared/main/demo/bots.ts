import { setTimeout as pause } from "node:timers/promises";
import { login } from "#shared/domain/identity/accounts/login.ts";
import { demoPassword, demoPeople } from "#shared/domain/operations/demo/demo-data.ts";
import { cast, chatter } from "#shared/domain/operations/demo/world/cast.ts";
import { clock } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { createClient, type Hubbub, isHubbubError, type LiveRoom, memoryStorage } from "../../client/client.ts";
import { playGame } from "./play-game.ts";

/** How many people act: the hosts of the cast, and as many guests. */
const botCount = 12;
/** How often one of them does something, milliseconds: an evening room, not a benchmark. */
const usualPace = { actMs: 6000, loginMs: 700, gameMs: 15 * 60_000 };
/** After how many acts a game that couldn't be played is followed by another. */
const againActs = 10;
/** The dearest gift that they send, coins. */
const giftPriceMax = 150;

interface Bot {
  readonly username: string;
  readonly hubbub: Hubbub;
  room: LiveRoom | undefined;
}

const oneOf = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];

/** Some people of the demo world who walk, talk, sit, give, and play, by the typed client, over the API. */
export class Bots {
  readonly #url: string;
  readonly #pace: typeof usualPace;
  readonly #stop = new AbortController();
  readonly #bots: Bot[] = [];
  #nextGameAt = 0;

  constructor(url: string, pace = usualPace) {
    this.#url = url;
    this.#pace = pace;
  }

  /** Logs them in, one by one, and lets them act until `stop`. */
  start(): void {
    this.#run().catch((error: unknown) => {
      if (!this.#stop.signal.aborted) logger.warn({ err: error }, "the demo people have stopped");
    });
  }

  /** Ends their connections. The calls that are under way fail with the service, or reach it. */
  stop(): void {
    this.#stop.abort();
    for (const { hubbub } of this.#bots) hubbub.disconnect();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (const { username } of cast.slice(0, botCount)) {
      const bot = await this.#logIn(username);
      await pause(this.#pace.loginMs, undefined, { signal });
      if (!bot) continue;
      this.#bots.push(bot);
      await this.#tries(() => this.#goTo(bot));
    }
    while (this.#bots.length > 0) {
      const bot = oneOf(this.#bots)!;
      await this.#tries(() => this.#act(bot));
      if (clock.now() > this.#nextGameAt) {
        this.#nextGameAt = clock.now() + this.#pace.gameMs;
        void this.#tries(() => this.#play());
      }
      await pause(this.#pace.actMs * (0.5 + Math.random()), undefined, { signal });
    }
  }

  /** Not over the API, whose limit of logins by address belongs to the developer. */
  async #logIn(username: string): Promise<Bot | undefined> {
    const device = { ip: "127.0.0.1", userAgent: "demo" };
    const tokens = await login({ identifier: username, password: demoPassword }, device).catch(() => undefined);
    if (!tokens) return undefined;
    const storage = memoryStorage();
    await storage.set(tokens);
    const hubbub = createClient({ url: this.#url, storage, language: () => "en" });
    await hubbub.restore();
    return { username, hubbub, room: undefined };
  }

  /** A host goes to their own room and approves who asks for a seat; a guest goes to any. */
  async #goTo(bot: Bot): Promise<void> {
    const { items } = await bot.hubbub.rooms.list({ limit: 50 });
    const hosts = [...cast, ...demoPeople].map(({ username }) => username);
    const open = items.filter(({ host, has_password }) => hosts.includes(host.username) && !has_password);
    const own = open.find(({ host }) => host.username === bot.username);
    const chosen = own ?? oneOf(open.filter(({ id }) => id !== bot.room?.id));
    if (!chosen) return;
    const room = await bot.hubbub.rooms.join(chosen.id);
    bot.room = room;
    room.on("end", () => {
      if (bot.room === room) bot.room = undefined;
    });
    if (own)
      room.on("seat_request", () => {
        for (const { id } of room.requests) void this.#tries(() => room.seats.approve(id));
      });
    else await room.seats.request();
  }

  async #act(bot: Bot): Promise<unknown> {
    const { room } = bot;
    if (!room) return this.#goTo(bot);
    const others = room.state.members.filter(({ user }) => user.id !== bot.hubbub.user?.id);
    const seat = room.state.seats.find(({ user }) => user?.id === bot.hubbub.user?.id);
    const isHost = room.state.my_role === "host";
    const dice = Math.random();
    if (dice < 0.15 && others.length > 0) return this.#give(bot, room, oneOf(others)!.user.id);
    if (dice < 0.25 && !isHost) return this.#goTo(bot);
    if (dice < 0.6 && seat) return room.audio({ muted: false, speaking: !seat.speaking });
    if (dice < 0.7 && !seat) return room.seats.request();
    return others.length > 0 && room.say(oneOf(chatter)!);
  }

  async #give({ hubbub }: Bot, room: LiveRoom, recipient_id: string): Promise<void> {
    const [{ balance }, categories] = await Promise.all([hubbub.wallet.get(), hubbub.gifts.list()]);
    const max = Math.min(balance, giftPriceMax);
    const gift = oneOf(categories.flatMap(({ gifts }) => gifts).filter(({ price }) => price <= max));
    if (gift) await room.gift({ gift_id: gift.id, recipient_id, quantity: 1 });
  }

  /** Two people in one room play a game. If they can't, such as because one has just left, two others do soon. */
  async #play(): Promise<void> {
    const pairs = this.#bots.flatMap((host) => {
      const guests = this.#bots.filter((bot) => bot !== host && bot.room && bot.room.id === host.room?.id);
      return guests.map((guest) => ({ host, guest, roomId: host.room!.id }));
    });
    const pair = oneOf(pairs);
    if (!pair) return this.#playSoon();
    const { host, guest, roomId } = pair;
    await playGame(host.hubbub, guest.hubbub, roomId, this.#stop.signal).catch((error: unknown) => {
      this.#playSoon();
      throw error;
    });
  }

  #playSoon(): void {
    this.#nextGameAt = clock.now() + againActs * this.#pace.actMs;
  }

  /** Never throws: the rules refuse some of it, and a person of the world may be suspended in the console. */
  async #tries(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isHubbubError(error) || this.#stop.signal.aborted) return;
      logger.warn({ err: error }, "a demo person couldn't act");
    }
  }
}

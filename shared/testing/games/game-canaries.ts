import type { GameAction } from "#shared/extension/game.ts";
import type { GameStep } from "./play-game.ts";

const marksIn = /canary-[0-9a-f]{8}-\d{4}/g;

/** A leak of hidden data, as opposed to an error of the test itself. */
export class LeakError extends Error {}

/** Where the leak was found. */
function around(left: string, found: string): string {
  const at = left.indexOf(found);
  return JSON.stringify(left.slice(Math.max(0, at - 200), at + 200));
}

/**
 * Markers in a game's hidden data, and its seed. Neither may leave the server before it is revealed. `check` searches
 * the server's output for them.
 */
export class Canaries {
  readonly seed: string;
  readonly #tag: string;
  #count = 0;
  readonly #shown = new Set<string>();
  #seedIsOut = false;

  constructor(seed: string) {
    this.seed = seed;
    // Don't derive markers from the seed: the seed itself is searched for.
    this.#tag = [...seed.slice(0, 8)]
      .reverse()
      .map((digit) => (15 - Number.parseInt(digit, 16)).toString(16))
      .join("");
  }

  /** Returns a new marker that must not be visible. */
  mark(): string {
    this.#count += 1;
    return `canary-${this.#tag}-${String(this.#count).padStart(4, "0")}`;
  }

  reveal(...marks: readonly string[]): void {
    for (const mark of marks) this.#shown.add(mark);
  }

  hide(...marks: readonly string[]): void {
    for (const mark of marks) this.#shown.delete(mark);
  }

  /** Allows the seed, because the game is over. */
  revealSeed(): void {
    this.#seedIsOut = true;
  }

  /** @throws LeakError */
  check(left: string): void {
    for (const [mark] of left.matchAll(marksIn))
      if (mark.includes(this.#tag) && !this.#shown.has(mark))
        throw new LeakError(`${mark} has left before its time: ${left}`);
    if (!this.#seedIsOut && left.includes(this.seed))
      throw new LeakError(`the seed has left before the end: ${around(left, this.seed)}`);
    // The field in the stored board. Views call it `right_option` and show it after the round.
    if (left.includes('"right":')) throw new LeakError(`the right option has left: ${around(left, '"right":')}`);
  }
}

/** The hidden data of a game type, and when it is revealed. */
export interface Secrets {
  /** Inserts markers into the hidden data of the board. */
  plant(board: object): object;
  /** Updates the markers that may be visible after this change. */
  follow(step: GameStep<object>): void;
  /**
   * Updates the markers that may be visible from the start of this action, for observers that miss the boards in
   * between.
   */
  ask(action: GameAction): void;
  /**
   * Returns the same game with different data wherever it is hidden from this player, who must not see a difference.
   */
  disguise(board: object, viewerId: string): object;
}

export function secretsOf(type: string, canaries: Canaries): Secrets {
  if (type === "memory") return memorySecrets(canaries);
  if (type === "trivia") return triviaSecrets(canaries);
  // These games hide only future draws, which are in the seed.
  return { plant: (board) => board, follow: () => {}, ask: () => {}, disguise: (board) => board };
}

interface Deck {
  readonly cards: readonly { readonly face: string; readonly state: string }[];
}

/** Each face is a marker. Tracks the open cards by the actions, independently of the board. */
function memorySecrets(canaries: Canaries): Secrets {
  let deck: string[] = [];
  const won = new Set<number>();
  let open: number[] = [];
  return {
    plant: (board) => {
      const { cards } = board as Deck;
      const marks = new Map<string, string>();
      for (const { face } of cards) if (!marks.has(face)) marks.set(face, canaries.mark());
      deck = cards.map(({ face }) => marks.get(face)!);
      return { ...board, cards: cards.map((card, index) => ({ ...card, face: deck[index]! })) };
    },
    follow: ({ by }) => {
      const closed = open;
      if (by) open = [...open, (by.action as unknown as { card: number }).card];
      else open = [];
      if (open.length === 2 && deck[open[0]!] === deck[open[1]!]) {
        for (const card of open) won.add(card);
        open = [];
      }
      canaries.hide(...closed.filter((card) => !won.has(card)).map((card) => deck[card]!));
      canaries.reveal(...[...open, ...won].map((card) => deck[card]!));
    },
    ask: (action) => canaries.reveal(deck[(action as unknown as { card: number }).card]!),
    disguise: (board) => {
      const { cards } = board as Deck;
      const closed = cards.filter(({ state }) => state === "closed").map(({ face }) => face);
      const others = [...closed.slice(1), ...closed.slice(0, 1)];
      return {
        ...board,
        cards: cards.map((card) => (card.state === "closed" ? { ...card, face: others.shift()! } : card)),
      };
    },
  };
}

interface Quiz {
  readonly players: readonly { readonly userId: string }[];
  readonly index: number;
  readonly questions: readonly { readonly text: string; readonly options: readonly string[]; readonly right: number }[];
  readonly answers: readonly { readonly userId: string; readonly option: number; readonly points: number }[];
}

/** Markers in each question, in each option, and in fields that are never shown. */
function triviaSecrets(canaries: Canaries): Secrets {
  let marks: string[][] = [];
  let playerCount = 0;
  const asked = new Map<number, number>();
  return {
    plant: (board) => {
      const { questions, players } = board as Quiz;
      playerCount = players.length;
      const planted = questions.map((question) => ({
        ...question,
        text: canaries.mark(),
        options: question.options.map(() => canaries.mark()),
        note: canaries.mark(),
      }));
      marks = planted.map(({ text, options }) => [text, ...options]);
      canaries.reveal(...marks[0]!);
      return { ...board, questions: planted };
    },
    follow: ({ before, after, by }) => {
      const { answers, players, index } = before as Quiz;
      if (by && answers.length + 1 < players.length) return;
      canaries.hide(...marks[index]!);
      if ((after as Quiz).index !== index) canaries.reveal(...marks[index + 1]!);
    },
    ask: (action) => {
      const { question } = action as unknown as { question: number };
      const count = (asked.get(question) ?? 0) + 1;
      asked.set(question, count);
      // The last answer starts the next question.
      if (count === playerCount) canaries.reveal(...(marks[question + 1] ?? []));
    },
    disguise: (board, viewerId) => {
      const { questions, answers, index } = board as Quiz;
      return {
        ...board,
        questions: questions.map((question, at) => ({
          ...question,
          right: (question.right + 1) % question.options.length,
          ...(at > index && { text: "another question" }),
        })),
        answers: answers.map((answer) => ({
          ...answer,
          points: 1000 - answer.points,
          ...(answer.userId !== viewerId && { option: 3 - answer.option }),
        })),
      };
    },
  };
}

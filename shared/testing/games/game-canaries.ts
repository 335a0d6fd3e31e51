import type { GameAction } from "#shared/domain/games/game.ts";
import type { GameStep } from "./play-game.ts";

const marksIn = /canary-[0-9a-f]{8}-\d{4}/g;

/** What was seen and may not be: told apart from faults of the test itself. */
export class LeakError extends Error {}

/** Where it was found, fit to be printed. */
function around(left: string, found: string): string {
  const at = left.indexOf(found);
  return JSON.stringify(left.slice(Math.max(0, at - 200), at + 200));
}

/**
 * Marks in what a game hides, and the seed: neither may be in anything that leaves the server before its time. `check`
 * looks through whatever has left it.
 */
export class Canaries {
  readonly seed: string;
  readonly #tag: string;
  #count = 0;
  readonly #shown = new Set<string>();
  #seedIsOut = false;

  constructor(seed: string) {
    this.seed = seed;
    // Not a part of the seed: that is one of the things looked for.
    this.#tag = [...seed.slice(0, 8)]
      .reverse()
      .map((digit) => (15 - Number.parseInt(digit, 16)).toString(16))
      .join("");
  }

  /** A new mark, which nobody may see. */
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

  /** The game is over: its seed may be asked for. */
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
    // The name that the stored board has for it; views call it `right_option`, after the round.
    if (left.includes('"right":')) throw new LeakError(`the right option has left: ${around(left, '"right":')}`);
  }
}

/** What one kind of game hides, and when it comes to light. */
export interface Secrets {
  /** Puts marks into what the board hides. */
  plant(board: object): object;
  /** What may be seen when this has happened, and what no longer. */
  follow(step: GameStep<object>): void;
  /** What may be seen from the moment that this is asked for, for whoever does not see the boards between. */
  ask(action: GameAction): void;
  /** The same game with everything hidden from this player made different: he must not see a difference. */
  disguise(board: object, viewerId: string): object;
}

export function secretsOf(type: string, canaries: Canaries): Secrets {
  if (type === "memory") return memorySecrets(canaries);
  if (type === "trivia") return triviaSecrets(canaries);
  // What these hide is not on the board yet: it is in the seed.
  return { plant: (board) => board, follow: () => {}, ask: () => {}, disguise: (board) => board };
}

interface Deck {
  readonly cards: readonly { readonly face: string; readonly state: string }[];
}

/** Each face is a mark. Which cards are open is kept here by what was done, not by what the board says. */
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

/** Marks in each question, in each option, and beside them where nothing is ever shown from. */
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
      // The last answer brings the next question.
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

import type { GameAction, GameType, Session } from "../../../shared/client/client.ts";
import { key, t } from "./texts.ts";

const names: Readonly<Record<GameType, string>> = {
  ludo: key("Ludo"),
  snakes_and_ladders: key("Snakes and ladders"),
  trivia: key("Trivia"),
  memory: key("Memory"),
  truth_or_dare: key("Truth or dare"),
};

/** The name of a game. */
export const nameOf = (type: GameType): string => t(names[type]);

/** What each board gets. `may` tells whether it is the person's turn to do this. */
export interface BoardProps<S extends Session> {
  readonly session: S;
  readonly me: string;
  readonly may: (kind: string) => boolean;
  readonly act: (action: GameAction) => void;
}

/** Colours of the players, by their order. */
export const colours = [
  "#e5345f",
  "#2f7de1",
  "#1fa36b",
  "#e08a00",
  "#8a5cf0",
  "#0e9aa7",
  "#b5489a",
  "#6b7280",
] as const;

const pips: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  1: [[2, 2]],
  2: [
    [1, 1],
    [3, 3],
  ],
  3: [
    [1, 1],
    [2, 2],
    [3, 3],
  ],
  4: [
    [1, 1],
    [3, 1],
    [1, 3],
    [3, 3],
  ],
  5: [
    [1, 1],
    [3, 1],
    [2, 2],
    [1, 3],
    [3, 3],
  ],
  6: [
    [1, 1],
    [1, 2],
    [1, 3],
    [3, 1],
    [3, 2],
    [3, 3],
  ],
};

/** The die, which is also the button that rolls. */
export function Die({ value, canRoll, onRoll }: { value: number | null; canRoll: boolean; onRoll: () => void }) {
  return (
    <button
      type="button"
      className={canRoll ? "die can" : "die"}
      disabled={!canRoll}
      aria-label={canRoll ? t("Roll the die") : value ? t("Die, {{value}}", { value }) : t("Die")}
      onClick={onRoll}
    >
      <svg viewBox="0 0 40 40" width="52" height="52" aria-hidden="true">
        <rect x="2" y="2" width="36" height="36" rx="8" fill="#fff" stroke="#c9cbd8" />
        {(pips[value ?? 0] ?? []).map(([x, y]) => (
          <circle key={`${x} ${y}`} cx={x * 10} cy={y * 10} r="3.600" fill="#23242d" />
        ))}
      </svg>
      {canRoll ? t("Roll") : "\u00a0"}
    </button>
  );
}

import type { LudoSession } from "../../../shared/client/client.ts";
import { type BoardProps, colours, Die } from "./board.tsx";
import { listText, t } from "./texts.ts";

type Point = readonly [x: number, y: number];

/** Turns a point of the board of 15 by 15 by a quarter, clockwise. */
const turned = ([x, y]: Point, quarters: number): Point =>
  quarters === 0 ? [x, y] : turned([14 - y, x], quarters - 1);

const line = (from: Point, step: Point, count: number): Point[] =>
  Array.from({ length: count }, (_, i) => [from[0] + step[0] * i, from[1] + step[1] * i] as const);

/** A quarter of the ring, from the first player's start. */
const quarter: readonly Point[] = [...line([1, 6], [1, 0], 5), ...line([6, 5], [0, -1], 6), [7, 0], [8, 0]];
const ring: readonly Point[] = [0, 1, 2, 3].flatMap((turn) => quarter.map((point) => turned(point, turn)));
const homeColumn: readonly Point[] = line([1, 7], [1, 0], 5);
const yard: readonly Point[] = [
  [1.5, 1.5],
  [3.5, 1.5],
  [1.5, 3.5],
  [3.5, 3.5],
];

const placeOf = (start: number, progress: number, piece: number): Point => {
  const side = Math.floor(start / 13);
  if (progress === 0) return turned(yard[piece]!, side);
  if (progress <= 51) return ring[(start + progress - 1) % 52]!;
  if (progress < 57) return turned(homeColumn[progress - 52]!, side);
  const [x, y] = turned([6.1, 7], side);
  return [x + (piece % 2) * 0.3, y + Math.floor(piece / 2) * 0.3];
};

const percent = (value: number): string => `${((value + 0.5) / 15) * 100}%`;
const whereText = (progress: number): string =>
  progress === 0
    ? t("in the yard")
    : progress === 57
      ? t("home")
      : progress > 51
        ? t("in the home column")
        : t("on square {{square}}", { square: progress });

export function LudoBoard({ session, me, may, act }: BoardProps<LudoSession>) {
  const { players, roll, last_roll, safe_squares } = session.board;
  const sideColours = new Map(players.map(({ start }, index) => [Math.floor(start / 13), colours[index]]));
  const mover = players.find(({ user_id }) => user_id === me);
  const canMove = (progress: number) =>
    may("move") && roll !== null && progress < 57 && (progress === 0 ? roll === 6 : progress + roll <= 57);
  return (
    <>
      <div className="ludo" dir="ltr">
        <svg viewBox="0 0 15 15" aria-hidden="true">
          {[0, 1, 2, 3].map((side) => {
            const [x, y] = turned([2.5, 2.5], side);
            return (
              <rect
                key={side}
                x={x - 2.5}
                y={y - 2.5}
                width="6"
                height="6"
                rx=".6"
                fill={sideColours.get(side) ?? "#8b8fa3"}
                fillOpacity={sideColours.has(side) ? 0.85 : 0.25}
              />
            );
          })}
          {ring.map(([x, y], index) => (
            <rect
              key={`${x} ${y}`}
              className="square"
              x={x + 0.04}
              y={y + 0.04}
              width=".92"
              height=".92"
              rx=".15"
              fill={index % 13 === 0 ? (sideColours.get(index / 13) ?? "#fff") : "#fff"}
            />
          ))}
          {safe_squares
            .filter((square) => square % 13 !== 0)
            .map((square) => {
              const [x, y] = ring[square]!;
              return (
                <circle key={square} cx={x + 0.5} cy={y + 0.5} r=".28" fill="none" stroke="#8b8fa3" strokeWidth=".1" />
              );
            })}
          {[0, 1, 2, 3].flatMap((side) =>
            homeColumn.map((point, index) => {
              const [x, y] = turned(point, side);
              return (
                <rect
                  key={`${side} ${index}`}
                  x={x + 0.04}
                  y={y + 0.04}
                  width=".92"
                  height=".92"
                  rx=".15"
                  fill={sideColours.get(side) ?? "#c9cbd8"}
                />
              );
            }),
          )}
          <rect x="6" y="6" width="3" height="3" rx=".3" fill="#fff" />
        </svg>
        {players.flatMap(({ user_id, start, pieces }, index) =>
          pieces.map((progress, piece) => {
            const [x, y] = placeOf(start, progress, piece);
            const isMovable = user_id === me && canMove(progress);
            const style = { left: percent(x), top: percent(y), background: colours[index] };
            return isMovable ? (
              <button
                key={`${user_id} ${piece}`}
                type="button"
                className="piece can"
                style={style}
                aria-label={t("Move piece {{piece}}, {{place}}", { piece: piece + 1, place: whereText(progress) })}
                onClick={() => act({ kind: "move", piece })}
              />
            ) : (
              <span key={`${user_id} ${piece}`} className="piece" style={style} />
            );
          }),
        )}
      </div>
      <div className="under">
        <Die value={roll ?? last_roll?.roll ?? null} canRoll={may("roll")} onRoll={() => act({ kind: "roll" })} />
        <p role="status">
          {may("move")
            ? t("You rolled {{roll}}. Move a piece.", { roll: roll ?? 0 })
            : mover
              ? t("Your pieces: {{places}}.", { places: listText(mover.pieces.map(whereText)) })
              : t("You are watching.")}
        </p>
      </div>
    </>
  );
}

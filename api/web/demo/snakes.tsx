import type { SnakesAndLaddersSession } from "../../../shared/client/client.ts";
import { type BoardProps, colours, Die } from "./board.tsx";
import { listText, t } from "./texts.ts";

/** The middle of a square on a board of 10 by 10, whose rows run to and fro from the bottom left. */
function middleOf(square: number): readonly [x: number, y: number] {
  const row = Math.floor((square - 1) / 10);
  const column = (square - 1) % 10;
  return [(row % 2 === 0 ? column : 9 - column) + 0.5, 9.5 - row];
}

export function SnakesBoard({ session, me, may, act }: BoardProps<SnakesAndLaddersSession>) {
  const { runners, ladders, snakes, last_move } = session.board;
  const mine = runners.find(({ user_id }) => user_id === me);
  const nameOf = (id: string) =>
    id === me ? t("You") : (session.players.find(({ user }) => user.id === id)?.user.full_name.split(" ")[0] ?? "");
  return (
    <>
      <svg
        className="snakes"
        viewBox="0 0 10 10"
        role="img"
        aria-label={t("Board. {{places}}", {
          places: listText(
            runners.map(({ user_id, square }) => t("{{name}}: square {{square}}", { name: nameOf(user_id), square })),
          ),
        })}
      >
        {Array.from({ length: 100 }, (_, index) => {
          const [x, y] = middleOf(index + 1);
          return (
            <g key={index}>
              <rect
                className={(Math.floor(x) + Math.floor(y)) % 2 ? "dark" : "light"}
                x={x - 0.5}
                y={y - 0.5}
                width="1"
                height="1"
              />
              <text x={x - 0.42} y={y - 0.2} fontSize=".24">
                {index + 1}
              </text>
            </g>
          );
        })}
        {ladders.map(({ from, to }) => (
          <Ladder key={from} from={middleOf(from)} to={middleOf(to)} />
        ))}
        {snakes.map(({ from, to }) => (
          <Snake key={from} from={middleOf(from)} to={middleOf(to)} />
        ))}
        {runners.map(({ user_id, square }, index) => {
          const [x, y] = square === 0 ? [0.3 + index * 0.3, 9.8] : middleOf(square);
          return (
            <circle
              key={user_id}
              className="runner"
              cx={x + (index - 0.5) * 0.24}
              cy={y}
              r=".26"
              fill={colours[index]}
            />
          );
        })}
      </svg>
      <div className="under">
        <Die value={last_move?.roll ?? null} canRoll={may("roll")} onRoll={() => act({ kind: "roll" })} />
        <p role="status">
          {last_move
            ? t("{{name}} rolled {{roll}}: {{from}} to {{to}}.", {
                name: nameOf(last_move.user_id),
                roll: last_move.roll,
                from: last_move.from,
                to: last_move.to,
              })
            : t("First to square 100 wins.")}{" "}
          {mine && t("You are on {{square}}.", { square: mine.square })}
        </p>
      </div>
    </>
  );
}

type Ends = { readonly from: readonly [number, number]; readonly to: readonly [number, number] };

function Ladder({ from: [x1, y1], to: [x2, y2] }: Ends) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [((y2 - y1) / length) * 0.16, (-(x2 - x1) / length) * 0.16];
  const rungs = Math.max(2, Math.round(length / 0.45));
  const path = Array.from({ length: rungs }, (_, index) => {
    const at = (index + 0.5) / rungs;
    const [x, y] = [x1 + (x2 - x1) * at, y1 + (y2 - y1) * at];
    return `M${x - dx} ${y - dy}L${x + dx} ${y + dy}`;
  }).join("");
  return (
    <path
      className="ladder"
      d={`M${x1 - dx} ${y1 - dy}L${x2 - dx} ${y2 - dy}M${x1 + dx} ${y1 + dy}L${x2 + dx} ${y2 + dy}${path}`}
    />
  );
}

function Snake({ from: [x1, y1], to: [x2, y2] }: Ends) {
  const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const [dx, dy] = [(y2 - y1) * 0.18, -(x2 - x1) * 0.18];
  return (
    <g>
      <path className="snake" d={`M${x1} ${y1}Q${(x1 + mx) / 2 + dx} ${(y1 + my) / 2 + dy} ${mx} ${my}T${x2} ${y2}`} />
      <circle className="snake-head" cx={x1} cy={y1} r=".17" />
    </g>
  );
}

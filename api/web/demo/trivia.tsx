import type { TriviaSession } from "../../../shared/client/client.ts";
import type { BoardProps } from "./board.tsx";
import { useCountdown } from "./hooks.ts";
import { secondsText, t } from "./texts.ts";

export function TriviaBoard({ session, me, act }: BoardProps<TriviaSession>) {
  const { question, answered, last_round } = session.board;
  const left = useCountdown(question?.ends_at);
  const isPlayer = session.players.some(({ user }) => user.id === me);
  const mine = session.you?.answer ?? null;
  if (!question) return <p className="quiet">{t("The next question comes in a moment.")}</p>;
  const gained = last_round?.answers.find(({ user_id }) => user_id === me)?.points;
  return (
    <div className="trivia">
      <p className="round-of">
        {t("Question {{index}} of 10", { index: question.index + 1 })} ·{" "}
        <bdi>
          {question.category} · {question.difficulty}
        </bdi>{" "}
        · <b>{secondsText(left)}</b>
      </p>
      <h4 dir="auto">{question.text}</h4>
      <div className="options">
        {question.options.map((option, index) => (
          <button
            key={option}
            type="button"
            aria-pressed={mine === index}
            disabled={!isPlayer || mine !== null}
            onClick={() => act({ kind: "answer", question: question.index, option: index })}
          >
            {option}
          </button>
        ))}
      </div>
      <p role="status" className="quiet">
        {t("{{answered}} of {{count}} have answered.", { answered: answered.length, count: session.players.length })}
        {last_round && ` ${t("Last round: you got {{count}} points.", { count: gained ?? 0 })}`}
      </p>
    </div>
  );
}

import type { TruthOrDareSession } from "../../../shared/client/client.ts";
import type { BoardProps } from "./board.tsx";
import { key, t } from "./texts.ts";

const prompts = [
  ["truth", key("Truth")],
  ["dare", key("Dare")],
] as const;

export function TruthBoard({ session, me, may, act }: BoardProps<TruthOrDareSession>) {
  const { prompt, turns_left } = session.board;
  const who = session.players.find(({ user }) => user.id === prompt?.user_id)?.user;
  return (
    <div className="truth">
      {prompt ? (
        <blockquote className={prompt.kind}>
          <small>
            {prompt.kind === "truth" ? t("Truth") : t("Dare")} ·{" "}
            {who?.id === me ? t("for you") : t("for {{name}}", { name: who?.full_name ?? "" })}
          </small>
          {prompt.text}
        </blockquote>
      ) : (
        <p>{t("Say the truth, or do what you are dared to.")}</p>
      )}
      <div className="options">
        {prompts.map(([kind, label]) => (
          <button
            key={kind}
            type="button"
            className={kind}
            disabled={!may("prompt_pick")}
            onClick={() => act({ kind: "prompt_pick", prompt: kind })}
          >
            {t(label)}
          </button>
        ))}
      </div>
      <p role="status" className="quiet">
        {may("prompt_pick") ? t("Your turn: choose.") : t("Wait for your turn.")}{" "}
        {t("{{count}} turns left.", { count: turns_left })}
      </p>
    </div>
  );
}

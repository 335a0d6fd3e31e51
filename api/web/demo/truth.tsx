import type { TruthOrDareSession } from "../../../shared/client/client.ts";
import type { BoardProps } from "./game-screen.tsx";

const prompts = [
  ["truth", "Truth"],
  ["dare", "Dare"],
] as const;

export function TruthBoard({ session, me, may, act }: BoardProps<TruthOrDareSession>) {
  const { prompt, turns_left } = session.board;
  const who = session.players.find(({ user }) => user.id === prompt?.user_id)?.user;
  return (
    <div className="truth">
      {prompt ? (
        <blockquote className={prompt.kind}>
          <small>
            {prompt.kind} for {who?.id === me ? "you" : who?.full_name}
          </small>
          {prompt.text}
        </blockquote>
      ) : (
        <p>Say the truth, or do what you are dared to.</p>
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
            {label}
          </button>
        ))}
      </div>
      <p role="status" className="quiet">
        {may("prompt_pick") ? "Your turn: choose." : "Wait for your turn."} {turns_left} turns left.
      </p>
    </div>
  );
}

import type { MemorySession } from "../../../shared/client/client.ts";
import { Art } from "./art.tsx";
import type { BoardProps } from "./board.tsx";
import { t } from "./texts.ts";

export function MemoryBoard({ session, me, may, act }: BoardProps<MemorySession>) {
  const { cards, players, looking } = session.board;
  const pairs = players.find(({ user_id }) => user_id === me)?.pairs ?? 0;
  return (
    <>
      <div className="memory">
        {cards.map(({ card, state, face }) => (
          <button
            key={card}
            type="button"
            className={`memory-card ${state}`}
            disabled={state !== "closed" || looking || !may("flip")}
            aria-label={t("Card {{card}}, {{face}}", { card: card + 1, face: face ?? t("face down") })}
            onClick={() => act({ kind: "flip", card })}
          >
            {face ? <Art name={face} size={34} /> : <span aria-hidden="true">?</span>}
          </button>
        ))}
      </div>
      <p role="status" className="under">
        {looking ? t("No pair. Remember them.") : may("flip") ? t("Flip a card.") : t("Wait for your turn.")}{" "}
        {t("You have {{count}} pairs.", { count: pairs })}
      </p>
    </>
  );
}

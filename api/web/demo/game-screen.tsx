import { useEffect, useState } from "react";
import {
  type GameAction,
  isHubbubError,
  type LiveGame,
  type Session,
  type UserCard,
} from "../../../shared/client/client.ts";
import { Avatar } from "./avatar.tsx";
import { colours, nameOf } from "./board.tsx";
import { useCountdown, useLive, usePerson } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { LudoBoard } from "./ludo.tsx";
import { MemoryBoard } from "./memory.tsx";
import { SnakesBoard } from "./snakes.tsx";
import { secondsText, t } from "./texts.ts";
import { TriviaBoard } from "./trivia.tsx";
import { TruthBoard } from "./truth.tsx";

export function GameScreen({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const person = usePerson();
  const [game, setGame] = useState<LiveGame>();
  useEffect(() => {
    let opened: LiveGame | undefined;
    person.hubbub.games.open(sessionId).then(
      (found) => {
        opened = found;
        setGame(found);
      },
      (error: unknown) => {
        if (isHubbubError(error)) person.say(error.message, true);
        onClose();
      },
    );
    return () => opened?.close();
  }, [person, sessionId]);
  useLive(game);
  if (!game) return null;
  const session = game.state;
  return (
    <section className="game" aria-label={`${nameOf(session.type)}, ${person.login.full_name}`}>
      <div className="game-head">
        <h3>{nameOf(session.type)}</h3>
        <Turn session={session} />
        <button type="button" className="round" aria-label={t("Close the game")} onClick={onClose}>
          <Icon name="close" size={18} />
        </button>
      </div>
      <Players session={session} />
      {session.status === "active" ? <Board game={game} /> : <Result game={game} onClose={onClose} />}
    </section>
  );
}

function Turn({ session }: { session: Session }) {
  const { id } = usePerson();
  const left = useCountdown(session.turn?.deadline_at);
  if (!session.turn || session.status !== "active") return null;
  const isMine = session.turn.user_id === id;
  const name = session.players.find(({ user }) => user.id === session.turn?.user_id)?.user.full_name.split(" ")[0];
  return (
    <span className={isMine ? "turn mine" : "turn"}>
      {isMine ? t("Your turn") : t("{{name}}'s turn", { name: name ?? "" })} · {secondsText(left)}
    </span>
  );
}

const Players = ({ session }: { session: Session }) => (
  <ul className="players">
    {session.players.map(({ user, score, connected }, index) => (
      <li
        key={user.id}
        className={session.turn?.user_id === user.id ? "now" : undefined}
        style={{ ["--colour" as string]: colours[index] }}
      >
        <Avatar user={{ ...user, is_online: false }} size={24} />
        {user.full_name.split(" ")[0]} <b>{score}</b>
        {!connected && <small> {t("away")}</small>}
      </li>
    ))}
  </ul>
);

function Board({ game }: { game: LiveGame }) {
  const person = usePerson();
  const session = game.state;
  const isPlayer = session.players.some(({ user }) => user.id === person.id);
  const shared = {
    me: person.id,
    may: (kind: string) =>
      isPlayer && (session.turn ? session.turn.user_id === person.id && session.turn.allowed.includes(kind) : true),
    act: (action: GameAction) => void person.attempt(() => game.act(action)),
  };
  if (session.type === "ludo") return <LudoBoard session={session} {...shared} />;
  if (session.type === "snakes_and_ladders") return <SnakesBoard session={session} {...shared} />;
  if (session.type === "trivia") return <TriviaBoard session={session} {...shared} />;
  if (session.type === "memory") return <MemoryBoard session={session} {...shared} />;
  return <TruthBoard session={session} {...shared} />;
}

function Result({ game, onClose }: { game: LiveGame; onClose: () => void }) {
  const person = usePerson();
  const [proof, setProof] = useState<{ seed: string; draws: number }>();
  const { result, players, seed_hash, type } = game.state;
  const { room } = person.state;
  const cardOf = (userId: string) => players.find(({ user }) => user.id === userId)?.user;
  const standings = [...(result?.standings ?? [])].sort((one, other) => (one.place ?? 99) - (other.place ?? 99));
  const winners = standings.filter(({ place }) => place === 1);
  const winner = winners.length === 1 ? cardOf(winners[0]!.user_id) : undefined;
  /** Opens a lobby, to which the room is invited. */
  const again = async () => {
    if (room && (await person.attempt(() => person.hubbub.games.create({ type, room_id: room.id })))) onClose();
  };
  const show = async () => {
    const { seed, draws } = await game.proof();
    setProof({ seed, draws: draws.length });
  };
  return (
    <div className="result">
      {winner && <Winner user={winner} />}
      {!winner && <h4>{result?.reason === "abandoned" ? t("The game was abandoned") : t("The game is over")}</h4>}
      <ol>
        {standings.map(({ user_id, score, place }) => {
          const user = cardOf(user_id);
          return (
            user && (
              <li key={user_id}>
                <b>{place ?? "–"}</b> <Avatar user={{ ...user, is_online: false }} size={36} /> {user.full_name}
                <span className="push">{t("{{count}} points", { count: score })}</span>
              </li>
            )
          );
        })}
      </ol>
      {room && (
        <button type="button" className="primary" onClick={() => void again()}>
          {t("Play again")}
        </button>
      )}
      {proof ? (
        <p className="proof">
          {t("Seed, with {{count}} draws:", { count: proof.draws })} <code>{proof.seed}</code>
          <br />
          {t("Its SHA-256 was shown before the first move:")} <code>{seed_hash}</code>
        </p>
      ) : (
        <button type="button" className="link" onClick={() => void person.attempt(show)}>
          {t("Show the proof of fairness")}
        </button>
      )}
    </div>
  );
}

const sparks = Array.from({ length: 18 }, (_, index) => index);

const Winner = ({ user }: { user: UserCard }) => (
  <div className="winner">
    <div className="burst" aria-hidden="true">
      {sparks.map((index) => (
        <i key={index} style={{ ["--turn" as string]: `${(index / sparks.length) * 360}deg` }} />
      ))}
      <Avatar user={{ ...user, is_online: false }} size={96} />
    </div>
    <h4>{t("{{name}} wins!", { name: user.full_name.split(" ")[0]! })}</h4>
  </div>
);

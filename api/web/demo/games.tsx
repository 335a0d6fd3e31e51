import { useEffect, useReducer, useState } from "react";
import type { GameType, LiveLobby, LiveRoom, Lobby, ServerEvents } from "../../../shared/client/client.ts";
import { Avatar } from "./avatar.tsx";
import { nameOf } from "./board.tsx";
import { GameScreen } from "./game-screen.tsx";
import { useEvents, useLoaded, usePerson } from "./hooks.ts";
import { Sheet } from "./sheet.tsx";
import { t } from "./texts.ts";

/** The lobbies of a room, and the game that the person plays or watches. A game opens for its players by itself. */
export function Games({ room, isOpen, onClose }: { room: LiveRoom; isOpen: boolean; onClose: () => void }) {
  const person = usePerson();
  const [lobbies, put] = useReducer(withLobbies, []);
  const [sessionId, setSessionId] = useState<string>();
  useEffect(() => {
    person.hubbub.games.lobbies(room.id).then(put, () => {});
  }, [person, room.id]);
  useEvents(["lobby:updated"], (payload) => {
    const { lobby } = payload as ServerEvents["lobby:updated"];
    if (lobby.room_id !== room.id) return;
    put([lobby]);
    const plays = lobby.players.some(({ user }) => user.id === person.id);
    if (plays && lobby.status === "in_game" && lobby.session_id) {
      setSessionId(lobby.session_id);
      onClose();
    }
  });
  const open = lobbies.filter(({ status }) => status === "open" || status === "in_game");
  return (
    <>
      {sessionId && <GameScreen key={sessionId} sessionId={sessionId} onClose={() => setSessionId(undefined)} />}
      {!sessionId && !isOpen && <Waiting lobbies={open} />}
      {isOpen && (
        <Sheet title={t("Games")} onClose={onClose}>
          {open.map((lobby) => (
            <LobbyCard
              key={lobby.id}
              lobby={lobby}
              onWatch={(id) => {
                setSessionId(id);
                onClose();
              }}
            />
          ))}
          <NewGame room={room} onCreated={(lobby) => put([lobby])} />
        </Sheet>
      )}
    </>
  );
}

const withLobbies = (known: readonly Lobby[], changed: readonly Lobby[]): readonly Lobby[] => [
  ...changed,
  ...known.filter(({ id }) => !changed.some((lobby) => lobby.id === id)),
];

/** Shows the newest lobby over the chat, so that others see it without opening the games. */
function Waiting({ lobbies }: { lobbies: readonly Lobby[] }) {
  const lobby = lobbies.find(({ status }) => status === "open");
  return lobby ? (
    <div className="waiting-game">
      <LobbyCard lobby={lobby} onWatch={() => {}} />
    </div>
  ) : null;
}

function LobbyCard({ lobby, onWatch }: { lobby: Lobby; onWatch: (sessionId: string) => void }) {
  const person = usePerson();
  const me = lobby.players.find(({ user }) => user.id === person.id);
  const isHost = lobby.host.id === person.id;
  const isReady =
    lobby.players.length >= lobby.min_players &&
    lobby.players.every(({ ready, user }) => ready || user.id === lobby.host.id);
  const act = (call: (live: LiveLobby) => Promise<unknown>) =>
    void person.attempt(async () => call(await person.hubbub.games.lobby(lobby.id)));
  return (
    <fieldset className="lobby">
      <legend className="sr">
        {t("{{game}} of {{name}}", { game: nameOf(lobby.type), name: lobby.host.full_name })}
      </legend>
      <b>{nameOf(lobby.type)}</b>
      <ul>
        {lobby.players.map(({ user, ready }) => (
          <li key={user.id}>
            <Avatar user={{ ...user, is_online: false }} size={26} /> {user.full_name.split(" ")[0]}
            <small>{ready || user.id === lobby.host.id ? ` ${t("ready")}` : " …"}</small>
          </li>
        ))}
      </ul>
      <span className="row">
        {lobby.status === "in_game" && lobby.session_id && (
          <button type="button" className="small" onClick={() => onWatch(lobby.session_id!)}>
            {me ? t("Back to the game") : t("Watch")}
          </button>
        )}
        {lobby.status === "open" && !me && (
          <button
            type="button"
            className="small primary"
            onClick={() =>
              act(async (live) => {
                await live.join();
                await live.ready();
              })
            }
          >
            {t("Join")}
          </button>
        )}
        {lobby.status === "open" && me && !isHost && !me.ready && (
          <button type="button" className="small primary" onClick={() => act((live) => live.ready())}>
            {t("I'm ready")}
          </button>
        )}
        {lobby.status === "open" && isHost && (
          <button
            type="button"
            className="small primary"
            disabled={!isReady}
            onClick={() =>
              act(async (live) => {
                await live.ready();
                await live.start();
              })
            }
          >
            {t("Start")}
          </button>
        )}
        {lobby.status === "open" && me && (
          <button type="button" className="small" onClick={() => act((live) => live.leave())}>
            {isHost ? t("Cancel") : t("Leave")}
          </button>
        )}
      </span>
    </fieldset>
  );
}

function NewGame({ room, onCreated }: { room: LiveRoom; onCreated: (lobby: Lobby) => void }) {
  const person = usePerson();
  const { data: types } = useLoaded(() => person.hubbub.games.types());
  const create = (type: GameType) =>
    void person.attempt(async () => onCreated((await person.hubbub.games.create({ type, room_id: room.id })).state));
  return (
    <>
      <h4>{t("Start a game")}</h4>
      <div className="game-types">
        {types?.map(({ type, min_players, max_players }) => (
          <button key={type} type="button" className={`game-type start-${type}`} onClick={() => create(type)}>
            <b>{nameOf(type)}</b>
            <small>{t("{{min}} to {{max}} players", { min: min_players, max: max_players })}</small>
          </button>
        ))}
      </div>
    </>
  );
}

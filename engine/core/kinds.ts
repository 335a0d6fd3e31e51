/** The kinds of actors, by the names that native clients know. */
export const voiceRoomKind = "voice_room";
export const lobbyKind = "game_lobby";
export const gameKind = "game_session";

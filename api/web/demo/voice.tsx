import { useState } from "react";
import type { LiveRoom } from "../../../shared/client/client.ts";
import { usePerson } from "./hooks.ts";
import { Sheet } from "./sheet.tsx";
import { t } from "./texts.ts";

type VoiceState = "off" | "connecting" | "on";
/** What ends the connection of each room to the media server. A connection outlives the sheet. */
const connections = new WeakMap<LiveRoom, () => void>();

const variables = ["LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"];

export function VoiceSheet({
  room,
  isConfigured,
  onClose,
}: {
  room: LiveRoom;
  isConfigured: boolean;
  onClose: () => void;
}) {
  const person = usePerson();
  const [state, setState] = useState<VoiceState>(connections.has(room) ? "on" : "off");
  const connect = async () => {
    setState("connecting");
    const isOn = await person.attempt(() => connectVoice(room, person.id, () => setState("off")));
    setState(isOn ? "on" : "off");
  };
  return (
    <Sheet title={t("Voice")} onClose={onClose}>
      {isConfigured ? (
        <>
          <p>
            {state === "on"
              ? t("You hear the room. Your microphone follows your seat.")
              : t("Connect to hear the room, and to speak when you have a seat.")}
          </p>
          <div className="choices">
            {state === "on" ? (
              <button type="button" onClick={() => connections.get(room)?.()}>
                {t("Disconnect")}
              </button>
            ) : (
              <button
                type="button"
                className="primary"
                disabled={state === "connecting"}
                onClick={() => void connect()}
              >
                {state === "connecting" ? t("Connecting …") : t("Connect")}
              </button>
            )}
          </div>
        </>
      ) : (
        <div className="box">
          <p>
            <b>{t("This service has no audio.")}</b>{" "}
            {t(
              "Everything else works: seats, microphones and who speaks are real, so try the button “Talk”. For sound, start a LiveKit server and set:",
            )}
          </p>
          <ul>
            {variables.map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Sheet>
  );
}

/** Connects to the media server. Its client is loaded only now. */
async function connectVoice(room: LiveRoom, userId: string, onEnd: () => void): Promise<void> {
  const [{ token, wsUrl }, livekit] = await Promise.all([room.voiceToken(), import("livekit-client")]);
  const media = new livekit.Room();
  const me = media.localParticipant;
  media.on(livekit.RoomEvent.TrackSubscribed, (track) => {
    if (track.kind === livekit.Track.Kind.Audio) track.attach();
  });
  me.on(livekit.ParticipantEvent.IsSpeakingChanged, (speaking) => {
    void room.audio({ muted: false, speaking }).catch(() => {});
  });
  await media.connect(wsUrl, token);

  // The microphone is open while the user has a seat on which no one has muted them.
  const follow = () => {
    const seat = room.state.seats.find(({ user }) => user?.id === userId);
    const isOpen = seat !== undefined && !seat.muted && !seat.muted_by_host;
    if (isOpen !== me.isMicrophoneEnabled) void me.setMicrophoneEnabled(isOpen).catch(() => {});
  };
  const offs = [room.on("change", follow), room.on("end", () => void media.disconnect())];
  follow();
  connections.set(room, () => void media.disconnect());
  media.on(livekit.RoomEvent.Disconnected, () => {
    for (const off of offs) off();
    connections.delete(room);
    onEnd();
  });
}

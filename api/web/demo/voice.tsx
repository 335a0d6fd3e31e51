import { useSyncExternalStore } from "react";
import type { LiveRoom } from "../../../shared/client/client.ts";
import { usePerson } from "./hooks.ts";
import { Sheet } from "./sheet.tsx";
import { t } from "./texts.ts";
import { type VoiceLine, voiceLineOf } from "./voice-line.ts";

const variables = ["LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"];

/** The room's connection to the media server, and its state. */
export function useVoice(room: LiveRoom): VoiceLine {
  const line = voiceLineOf(room, usePerson());
  useSyncExternalStore(line.subscribe, () => line.state);
  return line;
}

export function VoiceSheet({
  room,
  isConfigured,
  onClose,
}: {
  room: LiveRoom;
  isConfigured: boolean;
  onClose: () => void;
}) {
  const line = useVoice(room);
  const { state } = line;
  return (
    <Sheet title={t("Voice")} onClose={onClose}>
      {isConfigured ? (
        <>
          <p>
            {state === "on"
              ? t("You hear the room. Your microphone follows your seat.")
              : t("Connect to hear the room, and to speak when you have a seat.")}
          </p>
          {line.isKept && (
            <p>{t("What is said on seats is kept for five minutes, so that moderators can listen after a report.")}</p>
          )}
          <div className="choices">
            {state === "on" ? (
              <button type="button" onClick={() => line.disconnect()}>
                {t("Disconnect")}
              </button>
            ) : (
              <button
                type="button"
                className="primary"
                disabled={state === "connecting"}
                onClick={() => void line.connect()}
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

import { issueVoiceToken } from "#shared/domain/voice/issue-voice-token.ts";
import type { ApiDeps } from "../../deps.ts";
import { type Route, route } from "../../http/route.ts";
import { type RoomParams, roomParams, voiceToken } from "./voice.schemas.ts";

export const voiceRoutes = ({ actors }: ApiDeps): Route[] => [
  route<RoomParams>({
    method: "post",
    path: "/rooms/:id/voice-token",
    tag: "Voice",
    summary: "A token for the room's media: to listen, and to speak while you have a seat where you are not muted.",
    description:
      "Ask for one each time you connect. What you may do follows your seat while you are connected: it needs no new token.",
    auth: "user",
    rateLimit: { points: 30, seconds: 60, by: "user" },
    params: roomParams,
    response: voiceToken,
    errors: ["NOT_A_MEMBER", "ROOM_CLOSED", "VOICE_NOT_CONFIGURED"],
    handler: ({ caller, params }) => issueVoiceToken(actors, caller, params.id),
  }),
];

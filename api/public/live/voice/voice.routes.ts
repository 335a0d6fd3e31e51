import { issueVoiceToken } from "#shared/domain/live/voice/issue-voice-token.ts";
import type { ApiDeps } from "../../../deps.ts";
import { type Route, route } from "../../../http/route.ts";
import { roomParams, voiceToken } from "./voice.schemas.ts";

export const voiceRoutes = ({ actors }: ApiDeps): Route[] => [
  route({
    id: "createVoiceToken",
    method: "post",
    path: "/rooms/:id/voice-token",
    blocks: "unaffected",
    tag: "Voice",
    summary: "Create a voice token",
    description:
      "You must be in the room. The token lets you listen, and speak while you have a seat on which the host hasn't muted you. Request a token each time you connect: while you are connected, your permissions follow your seat without a new token.",
    auth: "user",
    rateLimit: { points: 30, seconds: 60, by: "user" },
    params: roomParams,
    response: voiceToken,
    errors: ["NOT_A_MEMBER", "ROOM_CLOSED", "VOICE_NOT_CONFIGURED"],
    handler: ({ caller, params }) => issueVoiceToken(actors, caller, params.id),
  }),
];

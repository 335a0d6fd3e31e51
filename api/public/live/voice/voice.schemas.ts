import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { flag, id, object } from "#shared/contracts/fields.ts";

export const roomParams = object({ id: id(exampleIds.room) });

export const voiceToken = object({
  token: Joi.string()
    .example("eyJhbGciOiJIUzI1NiJ9.eyJ2aWRlbyI6e319.c2lnbmF0dXJl")
    .description("The access token for the media server. Connect with it within 2 minutes."),
  wsUrl: Joi.string().example("wss://voice.example.com").description("The URL of the media server."),
  roomName: Joi.string()
    .example(`room:${exampleIds.room}`)
    .description("The name of the room on the media server. Your identity there is your user ID."),
  voice_evidence: flag(false).description(
    "Whether what you say on a seat is kept for five minutes, encrypted, so that a report can seal it for administrators. If it is, tell the user before they speak.",
  ),
}).meta({ name: "VoiceToken" });

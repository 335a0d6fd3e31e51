import Joi from "joi";
import { type Infer, id, object } from "#shared/contracts/fields.ts";

export const roomParams = object({ id: id() });
export type RoomParams = Infer<typeof roomParams>;

export const voiceToken = object({
  token: Joi.string()
    .example("eyJhbGciOiJIUzI1NiJ9.eyJ2aWRlbyI6e319.c2lnbmF0dXJl")
    .description("For the media server, good for connecting within 2 minutes."),
  wsUrl: Joi.string().example("wss://voice.example.com").description("Address of the media server."),
  roomName: Joi.string()
    .example("room:0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a")
    .description("The room's name there. Your identity there is your user id."),
}).meta({ name: "VoiceToken" });

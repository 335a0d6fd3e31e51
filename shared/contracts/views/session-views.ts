import Joi from "joi";
import { flag, type Infer, id, object, time } from "#shared/contracts/fields.ts";

/** A login that stands. (The contract's Session is a game; a pair of tokens is that of `/auth/login`.) */
export const loginSession = object({
  id: id(),
  user_agent: Joi.string().allow("").description("As the client called itself.").example("Hubbub/1.0 (Android 16)"),
  ip: Joi.string().allow("").description("Where the login came from.").example("203.0.113.7"),
  is_current: flag().description("Whether it is the one that asks."),
  created_at: time(),
  last_used_at: time().description("When it got its last tokens."),
  expires_at: time().description("When it ends unless it is used before."),
}).meta({ name: "LoginSession" });
export type LoginSession = Infer<typeof loginSession>;

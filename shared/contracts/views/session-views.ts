import Joi from "joi";
import { flag, id, time, view } from "#shared/contracts/fields.ts";

/** A login that stands. (The contract's Session is a game; a pair of tokens is that of `/auth/login`.) */
export interface LoginSession {
  id: string;
  user_agent: string;
  ip: string;
  /** Is it the one that asks? */
  is_current: boolean;
  created_at: string;
  last_used_at: string;
  expires_at: string;
}

export const loginSession = view<LoginSession>({
  id: id(),
  user_agent: Joi.string().allow("").description("As the client called itself.").example("Hubbub/1.0 (Android 16)"),
  ip: Joi.string().allow("").description("Where the login came from.").example("203.0.113.7"),
  is_current: flag().description("Whether it is the one that asks."),
  created_at: time(),
  last_used_at: time().description("When it got its last tokens."),
  expires_at: time().description("When it ends unless it is used before."),
}).meta({ name: "LoginSession" });

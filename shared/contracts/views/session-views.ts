import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { flag, type Infer, id, object, time } from "#shared/contracts/fields.ts";

export const sessionWay = () =>
  Joi.string()
    .description(
      "How the session was opened: `password`, `google`, `apple`, `facebook`, `phone`, `guest`, or `oidc:` and the name of an OpenID provider.",
    )
    .example("password");

/** An active login. (In the contract, `Session` is a game, or the pair of tokens of `/auth/login`.) */
export const loginSession = object({
  id: id(exampleIds.adaSession),
  user_agent: Joi.string()
    .allow("")
    .description("The `User-Agent` header sent at login.")
    .example("Hubbub/1.0 (Android 16)"),
  ip: Joi.string().allow("").description("The IP address that its tokens were last issued to.").example("203.0.113.7"),
  way: sessionWay(),
  is_current: flag().description("Whether this is the session of the request."),
  created_at: time(exampleTime(exampleIds.adaSession)),
  last_used_at: time(exampleTime(exampleIds.adaSession, 3900)).description(
    "When the session's tokens were last refreshed.",
  ),
  expires_at: time(exampleTime(exampleIds.adaSession, 2_595_900)).description(
    "When the session expires unless its tokens are refreshed.",
  ),
}).meta({ name: "LoginSession" });
export type LoginSession = Infer<typeof loginSession>;

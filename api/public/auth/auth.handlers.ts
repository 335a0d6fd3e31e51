import { login } from "#shared/domain/accounts/login.ts";
import { type LoggedIn, register } from "#shared/domain/accounts/register.ts";
import { endSession } from "#shared/domain/sessions/end-session.ts";
import type { Device } from "#shared/domain/sessions/open-session.ts";
import type { Call } from "../../http/route.ts";
import type { LoginBody, RefreshTokenBody, RegisterBody } from "./auth.schemas.ts";

const deviceOf = ({ ip, userAgent }: Call): Device => ({ ip, userAgent });

export function registerAccount(call: Call<object, object, RegisterBody>): Promise<LoggedIn> {
  const { confirm_password: _repeated, terms_accepted: _accepted, ...registration } = call.body;
  return register(registration, deviceOf(call));
}

export const logIn = (call: Call<object, object, LoginBody>): Promise<LoggedIn> => login(call.body, deviceOf(call));

export async function logOut({ body }: Call<object, object, RefreshTokenBody>): Promise<object> {
  await endSession(body.refreshToken);
  return {};
}

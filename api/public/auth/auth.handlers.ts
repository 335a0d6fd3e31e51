import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { login } from "#shared/domain/accounts/login.ts";
import { type LoggedIn, register } from "#shared/domain/accounts/register.ts";
import { requestPasswordReset, requestVerification } from "#shared/domain/accounts/request-message.ts";
import { resetPassword } from "#shared/domain/accounts/reset-password.ts";
import { verifyAddress } from "#shared/domain/accounts/verify-address.ts";
import { endOwnSession, endSession } from "#shared/domain/sessions/end-session.ts";
import type { Device } from "#shared/domain/sessions/open-session.ts";
import type { Call } from "../../http/route.ts";
import type {
  ForgotPasswordBody,
  LoginBody,
  RefreshTokenBody,
  RegisterBody,
  ResendBody,
  ResetPasswordBody,
  SessionParams,
  VerifyEmailBody,
  VerifyMobileBody,
} from "./auth.schemas.ts";

type AnyonesCall<Body> = Call<object, object, Body, UserPrincipal | null>;

const deviceOf = ({ ip, userAgent }: AnyonesCall<object>): Device => ({ ip, userAgent });

export function registerAccount(call: AnyonesCall<RegisterBody>): Promise<LoggedIn> {
  const { confirm_password: _repeated, terms_accepted: _accepted, ...registration } = call.body;
  return register(registration, deviceOf(call));
}

export const logIn = (call: AnyonesCall<LoginBody>): Promise<LoggedIn> => login(call.body, deviceOf(call));

export async function logOut({ body }: AnyonesCall<RefreshTokenBody>): Promise<object> {
  await endSession(body.refreshToken);
  return {};
}

export async function verifyEmail({ body }: AnyonesCall<VerifyEmailBody>): Promise<object> {
  await verifyAddress("verify_email", body.email, body.code);
  return {};
}

export async function verifyMobile({ body }: AnyonesCall<VerifyMobileBody>): Promise<object> {
  await verifyAddress("verify_mobile", body.mobile, body.code);
  return {};
}

export async function resendVerification({ body }: AnyonesCall<ResendBody>): Promise<object> {
  await requestVerification(body);
  return {};
}

export async function forgotPassword({ body }: AnyonesCall<ForgotPasswordBody>): Promise<object> {
  await requestPasswordReset(body.email);
  return {};
}

export async function setNewPassword({ body, ip }: AnyonesCall<ResetPasswordBody>): Promise<object> {
  await resetPassword(body.token, body.password, ip);
  return {};
}

export async function endSessionById({ caller, params }: Call<SessionParams>): Promise<object> {
  await endOwnSession(caller, params.id);
  return {};
}

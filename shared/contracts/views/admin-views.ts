import Joi from "joi";
import { exampleIds, exampleTime } from "../examples.ts";
import { flag, type Infer, id, line, listOf, object, oneOf, text, time } from "../fields.ts";
import { permissions, superAdminRole } from "../permissions.ts";

export const permission = () => oneOf(...permissions);

export const adminEmail = () => Joi.string().lowercase().email({ tlds: false }).max(254).example("root@example.com");

export const adminAccount = object({
  id: id(exampleIds.admin),
  email: adminEmail(),
  full_name: line(1, 80, "Root"),
  role: line(1, 40, superAdminRole),
  permissions: listOf(permission()).description("What the role allows."),
  mfa_enabled: flag(false).description("Whether logging in requires a second factor."),
}).meta({ name: "AdminAccount" });
export type AdminAccount = Infer<typeof adminAccount>;

export const adminLoggedIn = object({
  token: Joi.string().description("An admin token, valid for 60 minutes.").example("eyJhbGciOiJIUzI1NiJ9.e30.c2ln"),
  admin: adminAccount,
}).meta({ name: "AdminLoggedIn" });
export type AdminLoggedIn = Infer<typeof adminLoggedIn>;

export const adminSession = object({
  id: id(exampleIds.adminSession),
  user_agent: text(0, 300, "curl/8.14.1"),
  ip: text(0, 45, "203.0.113.7"),
  is_current: flag(true),
  created_at: time(exampleTime(exampleIds.adminSession)),
  expires_at: time(exampleTime(exampleIds.adminSession, 3600)),
}).meta({ name: "AdminSession" });
export type AdminSession = Infer<typeof adminSession>;

export const mfaEnrollment = object({
  id: id(exampleIds.admin),
  otpauth_url: Joi.string()
    .description("For authenticator apps.")
    .example("otpauth://totp/Hubbub:root%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Hubbub"),
  qr_code: Joi.string()
    .description("The same as an image, in a data URL.")
    .example("data:image/png;base64,iVBORw0KGgo="),
  secret: Joi.string().description("The same, to type by hand.").example("JBSWY3DPEHPK3PXP"),
}).meta({ name: "MfaEnrollment" });
export type MfaEnrollment = Infer<typeof mfaEnrollment>;

export const recoveryCodes = object({
  id: id(exampleIds.admin),
  recovery_codes: listOf(Joi.string().example("3f9a2c-71b0e4-d85c16")).description(
    "Each replaces a code of the authenticator app once. They are not shown again.",
  ),
}).meta({ name: "RecoveryCodes" });
export type RecoveryCodes = Infer<typeof recoveryCodes>;

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

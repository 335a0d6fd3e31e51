import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { atLeast, id, object, optional, pageQuery } from "#shared/contracts/fields.ts";
import { adminEmail, secondFactorCode } from "#shared/contracts/views.ts";

/** An existing password, of any length that is stored. */
const password = () => Joi.string().min(1).max(128).example("correct horse battery staple");

export const newAdminPassword = () =>
  Joi.string()
    .min(12)
    .custom(atLeast(12))
    .max(128)
    .description("12 to 128 characters. Common passwords are rejected.")
    .example("correct horse battery staple");

export const adminLoginBody = object({
  email: adminEmail(),
  password: password(),
  code: optional(secondFactorCode()),
}).meta({ name: "AdminLoginBody" });

export const enrollBody = object({ password: password().description("Your current password.") }).meta({
  name: "EnrollSecondFactorBody",
});
export const appCodeBody = object({ code: secondFactorCode() }).meta({ name: "SecondFactorBody" });

export const changePasswordBody = object({
  current_password: password(),
  password: newAdminPassword(),
}).meta({ name: "ChangeAdminPasswordBody" });

export const sessionsQuery = object(pageQuery);
export const sessionParams = object({ id: id(exampleIds.adminSession) });
export const endedSession = object({ id: id(exampleIds.adminSession) }).meta({ name: "EndedAdminSession" });

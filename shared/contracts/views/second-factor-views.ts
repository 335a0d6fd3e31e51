import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { flag, type Infer, id, integer, listOf, object } from "#shared/contracts/fields.ts";

/** Views of a second factor, of users and of administrators. */

/** A code as it is sent. */
export const secondFactorCode = () =>
  Joi.string()
    .pattern(/^[0-9A-Fa-f-]{6,20}$/, "6 digits, or a recovery code")
    .description("A code of your authenticator app, or a recovery code. Each works once.")
    .example("314159");

const setup = {
  otpauth_url: Joi.string()
    .description("For authenticator apps.")
    .example("otpauth://totp/Hubbub:ada?secret=JBSWY3DPEHPK3PXP&issuer=Hubbub"),
  qr_code: Joi.string()
    .description("The same as an image, in a data URL.")
    .example("data:image/png;base64,iVBORw0KGgo="),
  secret: Joi.string().description("The same, to type by hand.").example("JBSWY3DPEHPK3PXP"),
};

export const secondFactorSetup = object(setup).meta({ name: "SecondFactorSetup" });
export type SecondFactorSetup = Infer<typeof secondFactorSetup>;

export const mfaEnrollment = object({ id: id(exampleIds.admin), ...setup }).meta({ name: "MfaEnrollment" });
export type MfaEnrollment = Infer<typeof mfaEnrollment>;

const recovery_codes = listOf(Joi.string().example("3f9a2c-71b0e4-d85c16")).description(
  "Each replaces a code of the authenticator app once. They are not shown again.",
);

export const ownRecoveryCodes = object({ recovery_codes }).meta({ name: "OwnRecoveryCodes" });
export type OwnRecoveryCodes = Infer<typeof ownRecoveryCodes>;

export const recoveryCodes = object({ id: id(exampleIds.admin), recovery_codes }).meta({ name: "RecoveryCodes" });
export type RecoveryCodes = Infer<typeof recoveryCodes>;

export const secondFactor = object({
  enabled: flag(true),
  recovery_codes_left: integer(0, 10, 10),
}).meta({ name: "SecondFactor" });
export type SecondFactor = Infer<typeof secondFactor>;

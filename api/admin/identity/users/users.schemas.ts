import { id, line, object, oneOf, optional, plainTime, text } from "#shared/contracts/fields.ts";
import { accountStatuses } from "#shared/contracts/views.ts";

export const userParams = object({ id: id() });

export const userFilters = {
  q: text(2, 254, "ada").description(
    "A part of a name, or a whole email address, mobile number, or ID, also at a provider. Two characters find only names that begin with them.",
  ),
  status: oneOf(...accountStatuses),
};

/** Why an administrator does something. Not shown to other users. */
export const adminReason = () => line(1, 500, "Spam in several rooms");

export const suspendUserBody = object({
  reason: adminReason().description("The user is told it by email, with a link to appeal."),
  until: optional(
    plainTime("2027-01-31T12:00:00.000Z").description("When it ends by itself. Default: when it is lifted."),
  ),
}).meta({ name: "SuspendUserBody" });

export const unlinkIdentityBody = object({
  provider: line(2, 30, "google").description("One of the user's `identities`."),
  reason: adminReason(),
}).meta({ name: "UnlinkUserIdentityBody" });

export const removeFactorBody = object({ reason: adminReason() }).meta({ name: "RemoveSecondFactorBody" });

export const verifyUserBody = object({ address: oneOf("email", "mobile") }).meta({ name: "VerifyUserBody" });

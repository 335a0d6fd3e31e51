import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object, pageQuery, withDefault } from "#shared/contracts/fields.ts";
import { commission, termMonths } from "#shared/contracts/views.ts";

export const listQuery = object(pageQuery);
export const agencyParams = object({ id: id(exampleIds.agency) });
export const invitationParams = object({ id: id(exampleIds.agencyInvitation) });
export const contractParams = object({ id: id(exampleIds.contract) });
export const staffParams = object({ id: id(exampleIds.agency), userId: id(exampleIds.grace) });

export const inviteBody = object({
  user_id: id(exampleIds.grace),
  commission_basis_points: withDefault(commission(), 0),
  term_months: withDefault(termMonths(), null),
}).meta({ name: "InviteHostBody" });

export const staffBody = object({ user_id: id(exampleIds.grace) }).meta({ name: "AddStaffBody" });

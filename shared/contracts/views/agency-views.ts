import Joi from "joi";
import { exampleIds, exampleTime } from "../examples.ts";
import { count, type Infer, id, integer, line, nullable, object, oneOf, time } from "../fields.ts";
import { userCard } from "./user-views.ts";

/** Agencies, their invitations, and their contracts with hosts. */

export const agencyPeriods = ["week", "month"] as const;
export const agencyStatuses = ["active", "suspended"] as const;
export const agencyRoles = ["owner", "staff", "host", "invited"] as const;
export const invitationStatuses = ["pending", "accepted", "declined", "withdrawn", "expired"] as const;
export const contractEnders = ["host", "agency", "admin", "erasure"] as const;

export const commission = () =>
  integer(0, 10_000, 1500).description(
    "The agency's commission on what the host earns by gifts, in parts of 10,000. The house pays it, not the host.",
  );
export const termMonths = () =>
  nullable(integer(1, 120, 12)).description("For how many months the contract holds. Null: until either side ends it.");

const agencyName = line(1, 60, "North Star");
export const agencyCard = object({
  id: id(exampleIds.agency),
  name: agencyName,
  country: Joi.string().example("IN"),
}).meta({ name: "AgencyCard" });

export const agency = object({
  id: id(exampleIds.agency),
  name: agencyName,
  country: Joi.string().example("IN"),
  time_zone: Joi.string().example("Asia/Kolkata").description("IANA name of the zone in which its days begin."),
  period: oneOf(...agencyPeriods).description("What each of its runs settles. Weeks begin on Monday."),
  status: oneOf(...agencyStatuses).description("`suspended`: it gets nothing, and can't invite."),
  owner: userCard,
  my_role: oneOf(...agencyRoles).description("`invited`: you have a pending invitation."),
  hosts_count: count(40).description("Hosts whose contracts hold now."),
}).meta({ name: "Agency" });
export type Agency = Infer<typeof agency>;

export const agencyInvitation = object({
  id: id(exampleIds.agencyInvitation),
  agency: agencyCard,
  user: userCard.description("The invited user."),
  commission_basis_points: commission(),
  term_months: termMonths(),
  status: oneOf(...invitationStatuses),
  created_at: time(exampleTime(exampleIds.agencyInvitation)),
  expires_at: time(exampleTime(exampleIds.agencyInvitation, 2_592_000)),
}).meta({ name: "AgencyInvitation" });
export type AgencyInvitation = Infer<typeof agencyInvitation>;

export const contract = object({
  id: id(exampleIds.contract),
  agency: agencyCard,
  host: userCard,
  commission_basis_points: commission(),
  starts_at: time(exampleTime(exampleIds.contract)),
  ends_at: nullable(time(exampleTime(exampleIds.contract, 31_536_000))).description(
    "Exclusive. Null: it holds until either side gives notice.",
  ),
  ended_by: nullable(oneOf(...contractEnders))
    .description("Who ended it, by notice or at once. Null: it ends with its term, or doesn't end.")
    .example(null),
}).meta({ name: "Contract" });
export type Contract = Infer<typeof contract>;

export const agencyMember = object({
  user: userCard,
  role: oneOf("owner", "staff"),
}).meta({ name: "AgencyMember" });
export type AgencyMember = Infer<typeof agencyMember>;

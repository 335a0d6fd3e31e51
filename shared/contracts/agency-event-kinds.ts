import type { Topic } from "./domain-events.ts";
import type { EventKind } from "./event-kinds.ts";
import { exampleIds } from "./examples.ts";
import { id, time } from "./fields.ts";

const invitation = {
  version: 1,
  key: "user_id",
  fields: { invitation_id: id(exampleIds.agencyInvitation), agency_id: id(exampleIds.agency), user_id: id() },
} as const;
const contract = {
  ...{ contract_id: id(exampleIds.contract), agency_id: id(exampleIds.agency) },
  ...{ host_id: id(exampleIds.grace), owner_id: id() },
};
const ofContract = { version: 1, key: "host_id" } as const;

/** The events of agencies, as the operator's servers receive them. */
export const agencyEventKinds: {
  readonly [T in Extract<Topic, `agency.${string}` | `contract.${string}`>]: EventKind<T>;
} = {
  "agency.invited": { ...invitation, summary: "A user was invited to be a host of an agency" },
  "agency.invitation_withdrawn": { ...invitation, summary: "An agency withdrew an invitation" },
  "contract.started": { ...ofContract, summary: "A contract of a host with an agency began", fields: contract },
  "contract.ending": {
    ...ofContract,
    summary: "Notice was given of a contract, or an administrator ends it",
    fields: { ...contract, ends_at: time("2026-03-02T12:00:00.000Z") },
  },
};

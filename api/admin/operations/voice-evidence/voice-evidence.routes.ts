import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object, oneOf } from "#shared/contracts/fields.ts";
import { evidenceReason, evidenceStatuses, voiceEvidence, voiceRecordings } from "#shared/contracts/views.ts";
import {
  approveVoiceEvidence,
  closeVoiceEvidence,
  listenToVoiceEvidence,
  requestVoiceEvidence,
} from "#shared/domain/operations/voice-evidence/open-evidence.ts";
import {
  getVoiceEvidence,
  listVoiceEvidence,
  openHours,
  readVoiceEvidence,
  requestHours,
} from "#shared/domain/operations/voice-evidence/voice-evidence.queries.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { listRoute } from "../../list-route.ts";

const params = object({ id: id(exampleIds.voiceEvidence) });
const common = { tag: "Reports", extension: true } as const;
const write = { ...common, method: "post", permission: "reports.listen", params, errors: ["CONFLICT"] } as const;
const auditOf = (action: string) => ({
  action: `voice_evidence.${action}`,
  target: (call: { params: { id: string } }) => ({ type: "voice_evidence", id: call.params.id }),
});

/** What was said in rooms, sealed by reports. Two administrators open it together. */
export const voiceEvidenceRoutes = (): AdminRoute[] => [
  listRoute({
    ...common,
    id: "listVoiceEvidence",
    path: "/voice-evidence",
    summary: "List evidence of voice",
    description: "What was said in the five minutes before a report, if the setting `voice_evidence` was on.",
    permission: "reports.read",
    filters: { status: oneOf(...evidenceStatuses), room_id: id(exampleIds.room) },
    sorts: ["-created_at"],
    item: voiceEvidence,
    list: listVoiceEvidence,
    download: {
      fileName: "voice-evidence",
      columns: ["id", "room_id", "started_at", "seconds", "status", "requested_by", "approved_by", "created_at"],
      read: readVoiceEvidence,
    },
  }),
  adminRead({
    ...common,
    id: "getVoiceEvidence",
    method: "get",
    path: "/voice-evidence/:id",
    summary: "Get evidence of voice",
    permission: "reports.read",
    params,
    response: voiceEvidence,
    handler: (call) => getVoiceEvidence(call.params.id),
  }),
  adminWrite({
    ...write,
    id: "requestVoiceEvidence",
    path: "/voice-evidence/:id/request",
    summary: "Request to listen",
    description: `Another administrator must approve within ${requestHours} hours. Both can then listen for ${openHours} hours.`,
    body: object({ reason: evidenceReason() }).meta({ name: "RequestVoiceEvidenceBody" }),
    response: voiceEvidence,
    audit: auditOf("request"),
    handler: ({ caller, params: { id }, body }) => requestVoiceEvidence(caller, id, body.reason),
  }),
  adminWrite({
    ...write,
    id: "approveVoiceEvidence",
    path: "/voice-evidence/:id/approve",
    summary: "Approve a request to listen",
    description: `You and the requester can listen for ${openHours} hours. You must be independent: neither may have created the other's account, or set its password or role, directly or through other accounts.`,
    response: voiceEvidence,
    audit: auditOf("approve"),
    handler: ({ caller, params: { id } }) => approveVoiceEvidence(caller, id),
  }),
  adminWrite({
    ...write,
    id: "closeVoiceEvidence",
    path: "/voice-evidence/:id/close",
    summary: "Close evidence of voice",
    description: "Declines a request, or ends what was approved.",
    response: voiceEvidence,
    audit: auditOf("close"),
    handler: ({ caller, params: { id } }) => closeVoiceEvidence(caller, id),
  }),
  adminWrite({
    ...write,
    id: "listenToVoiceEvidence",
    path: "/voice-evidence/:id/listen",
    summary: "Listen to evidence of voice",
    description:
      "Returns the address of a WAV file for each seat. Only the two administrators who requested and approved it can listen. Each time is written to the audit log.",
    response: voiceRecordings,
    audit: auditOf("listen"),
    handler: ({ caller, params: { id } }) => listenToVoiceEvidence(caller, id),
  }),
];

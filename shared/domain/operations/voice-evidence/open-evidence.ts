import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { VoiceEvidence as Evidence, VoiceRecordings } from "#shared/contracts/views.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { VoiceEvidence } from "#shared/domain/live/evidence/evidence.model.ts";
import { areDependent } from "#shared/domain/operations/admins/admin-controls.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { audioLink } from "./audio-link.ts";
import { getVoiceEvidence } from "./voice-evidence.queries.ts";

type Status = Evidence["status"];

/**
 * Asks another administrator to let both listen.
 * @throws NOT_FOUND, CONFLICT if it is requested or open already
 */
export const requestVoiceEvidence = (caller: AdminPrincipal, id: string, reason: string): Promise<Evidence> =>
  change(caller, { id, from: ["sealed"], action: "request", reason }, async (tx) => {
    const request = { requested_by: caller.adminId, requested_at: now, reason, approved_by: null, approved_at: null };
    await VoiceEvidence.change(tx, { id }, request);
  });

/**
 * Lets the requester and the caller listen for a day.
 * @throws NOT_FOUND, FORBIDDEN for the requester and for one whom they control or who controls them, CONFLICT if it
 *   isn't requested
 */
export const approveVoiceEvidence = (caller: AdminPrincipal, id: string): Promise<Evidence> =>
  change(caller, { id, from: ["requested"], action: "approve" }, async (tx, { requested_by }) => {
    if (requested_by === caller.adminId)
      throw new DomainError("FORBIDDEN", "Another administrator must approve your request.");
    if (await areDependent(tx, caller.adminId, requested_by!))
      throw new DomainError(
        "FORBIDDEN",
        "You and the requester aren't independent: one of you created the other's account, or set its password or role. Another administrator must approve this request.",
      );
    await VoiceEvidence.change(tx, { id }, { approved_by: caller.adminId, approved_at: now });
  });

/** Declines a request, or ends what was approved. @throws NOT_FOUND, CONFLICT if it is sealed */
export const closeVoiceEvidence = (caller: AdminPrincipal, id: string): Promise<Evidence> =>
  change(caller, { id, from: ["requested", "open"], action: "close" }, async (tx) => {
    const none = { requested_by: null, requested_at: null, reason: null, approved_by: null, approved_at: null };
    await VoiceEvidence.change(tx, { id }, none);
  });

/**
 * Returns addresses of the audio of each seat, valid for some minutes.
 * @throws NOT_FOUND, CONFLICT if it isn't open, FORBIDDEN for other administrators than the two who opened it
 */
export async function listenToVoiceEvidence(caller: AdminPrincipal, id: string): Promise<VoiceRecordings> {
  const { seats } = await change(caller, { id, from: ["open"], action: "listen" }, async (_tx, opened) => {
    if (![opened.requested_by, opened.approved_by].includes(caller.adminId))
      throw new DomainError("FORBIDDEN", "Only the administrators who requested and approved it can listen.");
  });
  return { id, seats: seats.map((seat) => ({ ...seat, url: audioLink(id, seat.user_id) })) };
}

interface Change {
  readonly id: string;
  /** The statuses in which it is allowed. */
  readonly from: readonly Status[];
  readonly action: string;
  readonly reason?: string;
}

function change(
  caller: AdminPrincipal,
  { id, from, action, reason }: Change,
  work: (tx: Tx, before: Evidence) => Promise<void>,
): Promise<Evidence> {
  return inTransaction(async (tx) => {
    if (!(await VoiceEvidence.lock(tx, { id }, ["id"]))) throw new DomainError("NOT_FOUND");
    const before = await getVoiceEvidence(id);
    if (!from.includes(before.status))
      throw new DomainError("CONFLICT", "This evidence is {{status}}.", { values: { status: before.status } });

    await work(tx, before);
    const after = await getVoiceEvidence(id);
    await tx.audit(caller, {
      action: `voice_evidence.${action}`,
      target: { type: "voice_evidence", id },
      before: { status: before.status },
      after: { status: after.status, room_id: after.room_id },
      ...(reason && { reason }),
    });
    return after;
  });
}

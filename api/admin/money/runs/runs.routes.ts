import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object } from "#shared/contracts/fields.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { createSchema, type ManagedRecord } from "#shared/domain/base/managed/managed-resource.ts";
import {
  managedCorrections,
  managedRunLines,
  managedRuns,
  runFields,
} from "#shared/domain/operations/runs/managed-runs.ts";
import {
  approveRun,
  cancelRun,
  correctRun,
  createRun,
  recomputeRun,
  requestCheck,
} from "#shared/domain/operations/runs/runs.ts";
import { type AdminRoute, adminWrite } from "../../../http/admin-route.ts";
import { managedReads, managedRecord } from "../../managed-routes.ts";

const tag = "Runs";
const write = { tag, method: "post", permission: "runs.write", extension: true } as const;
const run = managedRecord(managedRuns);

const step = (
  verb: "compute" | "check" | "approve" | "cancel",
  summary: string,
  description: string,
  command: (caller: AdminPrincipal, id: string) => Promise<ManagedRecord>,
): AdminRoute =>
  adminWrite({
    ...write,
    id: `${verb}Run`,
    path: `/runs/:id/${verb}`,
    summary,
    description,
    params: object({ id: id(exampleIds.run) }),
    response: run,
    errors: ["CONFLICT"],
    audit: { action: `run.${verb}`, target: ({ params }) => ({ type: "run", id: params.id }) },
    handler: ({ caller, params }) => command(caller, params.id),
  });

export const runsRoutes = (): AdminRoute[] => [
  ...managedReads(managedRuns, tag),
  ...managedReads(managedRunLines, tag),
  ...managedReads(managedCorrections, tag),
  adminWrite({
    ...write,
    id: "createRun",
    path: "/runs",
    summary: "Begin a run",
    description:
      "A job computes a line for each contract that held in the period with an agency of this zone and period. The earnings of the period must have matured.",
    body: object(runFields).meta({ name: "CreateRunBody" }),
    status: 201,
    response: run,
    errors: ["CONFLICT"],
    audit: { action: "run.create", target: (_input, data) => ({ type: "run", id: String(data.id) }) },
    handler: ({ caller, body }) => createRun(caller, body as Parameters<typeof createRun>[1]),
  }),
  step(
    "compute",
    "Compute a run again",
    "Takes new facts and corrections into its lines. Approvals start again.",
    recomputeRun,
  ),
  step(
    "check",
    "Check a run",
    "A job recounts each line from the ledger. The run is then `checked`, or `problems` names the lines that differ.",
    requestCheck,
  ),
  step(
    "approve",
    "Approve a run",
    "Two administrators must, neither of whom controls the other. With the second approval, a job pays it.",
    approveRun,
  ),
  step("cancel", "Cancel a run", "Before it is approved. The period can then have another run.", cancelRun),
  adminWrite({
    ...write,
    id: "correctRun",
    path: "/run-corrections",
    summary: "Correct a run",
    description:
      "Adds to the next line of a contract, or takes from it. A correction that would make the line negative waits for a later one.",
    body: createSchema(managedCorrections).meta({ name: "CorrectRunBody" }),
    status: 201,
    response: managedRecord(managedCorrections),
    audit: { action: "run_correction.create", target: () => ({ type: "run_correction" }) },
    handler: ({ caller, body }) => correctRun(caller, body),
  }),
];

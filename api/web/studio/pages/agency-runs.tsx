import { labelOf } from "../../admin/texts.ts";
import { AgencyPage, useAgencyId } from "../agency.tsx";
import { useRead } from "../data.ts";
import { usePage } from "../list.tsx";
import { RunLines } from "../run-lines.tsx";

/** What runs pay for the hosts of an agency. */
export default function AgencyRuns() {
  const lines = useRead("listAgencyRunLines", { params: useAgencyId(), ...usePage() });
  return <AgencyPage title={labelOf("resources", "runs")}>{() => <RunLines of={lines} isOfAgency />}</AgencyPage>;
}

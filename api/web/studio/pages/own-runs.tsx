import { PageTitle } from "../../admin/parts/page-title.tsx";
import { labelOf, t } from "../../admin/texts.ts";
import { useRead } from "../data.ts";
import { usePage } from "../list.tsx";
import { RunLines } from "../run-lines.tsx";

/** What runs pay the user as a host. */
export default function OwnRuns() {
  return (
    <>
      <PageTitle title={labelOf("resources", "runs")} lead={t("studio.runs_lead")} />
      <RunLines of={useRead("listOwnRunLines", usePage())} />
    </>
  );
}

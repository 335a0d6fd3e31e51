import type { ReactNode } from "react";
import { useParams } from "wouter";
import { Async } from "../admin/parts/async.tsx";
import { PageTitle } from "../admin/parts/page-title.tsx";
import { Status } from "../admin/parts/status.tsx";
import { type DataOf, useRead } from "./data.ts";

/** Returns the ID of the agency that the address names. */
export const useAgencyId = (): { readonly id: string } => ({ id: useParams().id ?? "" });

interface Props {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: (agency: DataOf<"getAgency">) => ReactNode;
}

/** A page of an agency, with its name. */
export function AgencyPage({ title, actions, children }: Props) {
  const agency = useRead("getAgency", { params: useAgencyId() });
  return (
    <Async of={agency}>
      {(found) => (
        <>
          <PageTitle
            title={title}
            lead={
              <>
                <bdi>{found.name}</bdi> {found.status === "suspended" && <Status value="suspended" />}
              </>
            }
            actions={actions}
          />
          {children(found)}
        </>
      )}
    </Async>
  );
}

import { useMemo } from "react";
import { Route, Switch } from "wouter";
import { useApi } from "../api.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { Permitted } from "../permitted.tsx";
import { t } from "../texts.ts";
import { ListPage } from "./list-page.tsx";
import { genericPages } from "./pages.ts";
import { RecordPage } from "./record-page.tsx";

/** The pages that are made from the table of the admin API, at the addresses of the API. */
export default function GenericPages() {
  const api = useApi();
  const pages = useMemo(() => genericPages(api), [api]);
  return (
    <Switch>
      {pages.map((page) => (
        <Route key={page.path} path={page.path}>
          {() => (
            <Permitted permission={page.read.permission}>
              {/* Another list begins without the selection of the one before. */}
              {page.isList ? <ListPage key={page.path} page={page} /> : <RecordPage key={page.path} page={page} />}
            </Permitted>
          )}
        </Route>
      ))}
      <Route>
        <PageTitle title={t("shell.not_found")} lead={t("shell.not_found_lead")} />
      </Route>
    </Switch>
  );
}

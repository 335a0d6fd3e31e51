import { lazy, Suspense, useEffect } from "react";
import { Route, Router, Switch, useLocation } from "wouter";
import { WithAccount } from "./account.tsx";
import { onSecondFactorRequired } from "./data.ts";
import { Guarded } from "./guarded.tsx";
import { ownPages } from "./own-pages.ts";
import { Loading } from "./parts/async.tsx";
import { Permitted } from "./permitted.tsx";
import { Shell } from "./shell.tsx";

/** The console: a login, then the pages. */
export const App = () => (
  <Router base="/admin">
    <WithAccount>
      <Guarded>
        <Suspense fallback={<Loading />}>
          <Shell>
            <Guarded>
              <Suspense fallback={<Loading />}>
                <Pages />
              </Suspense>
            </Guarded>
          </Shell>
        </Suspense>
      </Guarded>
    </WithAccount>
  </Router>
);

const GenericPages = lazy(() => import("./resources/generic.tsx"));

const own = ownPages.map((page) => ({ ...page, Content: lazy(page.load) }));

function Pages() {
  const [, navigate] = useLocation();
  useEffect(() => onSecondFactorRequired(() => navigate("/account/second-factor")), [navigate]);
  return (
    <Switch>
      {own.map(({ path, permission, Content }) => (
        <Route key={path} path={path}>
          <Permitted permission={permission}>
            <Content />
          </Permitted>
        </Route>
      ))}
      <Route>
        <GenericPages />
      </Route>
    </Switch>
  );
}

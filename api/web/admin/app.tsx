import { Component, lazy, type ReactNode, Suspense, useEffect } from "react";
import { Route, Router, Switch, useLocation } from "wouter";
import { WithAccount } from "./account.tsx";
import { onSecondFactorRequired } from "./data.ts";
import { ownPages } from "./own-pages.ts";
import { Failure, Loading } from "./parts/async.tsx";
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

/** Shows the error of a page in its place. */
class Guarded extends Component<{ readonly children: ReactNode }, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    const { error } = this.state;
    return error ? (
      <Failure error={error} onRetry={() => this.setState({ error: undefined as never })} />
    ) : (
      this.props.children
    );
  }
}

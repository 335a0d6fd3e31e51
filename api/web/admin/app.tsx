import { Component, lazy, type ReactNode, Suspense, useEffect } from "react";
import { Route, Router, Switch, useLocation } from "wouter";
import { useCan, WithAccount } from "./account.tsx";
import { onSecondFactorRequired } from "./data.ts";
import { type OwnPage, ownPages } from "./own-pages.ts";
import { Failure, Loading } from "./parts/async.tsx";
import { PageTitle } from "./parts/page-title.tsx";
import { Shell } from "./shell.tsx";
import { t } from "./texts.ts";

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

const own = ownPages.map((page) => ({ ...page, Content: lazy(page.load) }));

function Pages() {
  const [, navigate] = useLocation();
  useEffect(() => onSecondFactorRequired(() => navigate("/me/second-factor")), [navigate]);
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
        <NotFound />
      </Route>
    </Switch>
  );
}

/** Shows a page to those who may read what it shows. */
export function Permitted({ permission, children }: Pick<OwnPage, "permission"> & { readonly children: ReactNode }) {
  const can = useCan();
  return can(permission) ? children : <Failure error={new Error(t("shell.forbidden"))} />;
}

const NotFound = () => <PageTitle title={t("shell.not_found")} lead={t("shell.not_found_lead")} />;

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

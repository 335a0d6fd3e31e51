import { NavLink } from "@mantine/core";
import { lazy, Suspense } from "react";
import { Link, Route, Router, Switch, useLocation } from "wouter";
import { Guarded } from "../admin/guarded.tsx";
import { Loading } from "../admin/parts/async.tsx";
import { Frame, Waiting } from "../admin/parts/frame.tsx";
import { PageTitle } from "../admin/parts/page-title.tsx";
import { labelOf, t } from "../admin/texts.ts";
import { type DataOf, hubbub, useRead } from "./data.ts";
import { useUser, WithUser } from "./user.tsx";
import "../admin/pages/pages.css";

/** The studio: a login, then the pages. */
export const App = () => (
  <Router base="/studio">
    <WithUser>
      <Studio />
    </WithUser>
  </Router>
);

/** The pages by their addresses. Those of an agency are for its owner and its staff. */
const pages = {
  "/": lazy(() => import("./pages/today.tsx")),
  "/earnings": lazy(() => import("./pages/earnings.tsx")),
  "/runs": lazy(() => import("./pages/own-runs.tsx")),
  "/payouts": lazy(() => import("./pages/payouts.tsx")),
  "/contracts": lazy(() => import("./pages/contracts.tsx")),
  "/agencies/:id": lazy(() => import("./pages/hosts.tsx")),
  "/agencies/:id/runs": lazy(() => import("./pages/agency-runs.tsx")),
  "/agencies/:id/invitations": lazy(() => import("./pages/agency-invitations.tsx")),
  "/agencies/:id/staff": lazy(() => import("./pages/staff.tsx")),
};

function Studio() {
  const { full_name, username } = useUser();
  return (
    <Frame
      navigation={<Navigation />}
      account={{ name: full_name || username, role: `@${username}`, onSignOut: () => void hubbub.logout() }}
    >
      <Guarded>
        <Suspense fallback={<Loading />}>
          <Switch>
            {Object.entries(pages).map(([path, Page]) => (
              <Route key={path} path={path}>
                {/* Another agency's page begins without what was typed. */}
                {({ id = "" }: { readonly id?: string }) => <Page key={id} />}
              </Route>
            ))}
            <Route>
              <PageTitle title={t("shell.not_found")} lead={t("shell.not_found_lead")} />
            </Route>
          </Switch>
        </Suspense>
      </Guarded>
    </Frame>
  );
}

/** Returns the agencies that a user owns or works for. */
const ownOf = (agencies: DataOf<"listOwnAgencies"> | undefined) =>
  agencies?.items.filter(({ my_role }) => my_role === "owner" || my_role === "staff") ?? [];

function Navigation() {
  const [path] = useLocation();
  const invitations = useRead("listOwnInvitations", { query: { limit: 1 } }).data?.total ?? 0;
  const agencies = ownOf(useRead("listOwnAgencies", { query: { limit: 100 } }).data);
  const groups = [
    {
      key: "host",
      label: labelOf("values", "host"),
      entries: [
        { to: "/", label: t("studio.today") },
        { to: "/earnings", label: labelOf("fields", "earnings") },
        { to: "/runs", label: labelOf("resources", "runs") },
        { to: "/payouts", label: labelOf("resources", "payouts") },
        { to: "/contracts", label: labelOf("resources", "contracts"), waiting: invitations },
      ],
    },
    ...agencies.map(({ id, name }) => ({
      key: id,
      label: name,
      entries: [
        { to: `/agencies/${id}`, label: t("studio.hosts") },
        { to: `/agencies/${id}/runs`, label: labelOf("resources", "runs") },
        { to: `/agencies/${id}/invitations`, label: t("studio.invitations") },
        { to: `/agencies/${id}/staff`, label: t("studio.staff") },
      ],
    })),
  ];
  return groups.map(({ key, label, entries }) => (
    <section key={key} className="nav-group" aria-label={label}>
      <h2 className="nav-label">{label}</h2>
      {entries.map(({ to, label: name, ...more }) => (
        <NavLink
          key={to}
          component={Link}
          href={to}
          label={name}
          active={to === path}
          aria-current={to === path ? "page" : undefined}
          rightSection={"waiting" in more && <Waiting count={more.waiting} />}
        />
      ))}
    </section>
  ));
}

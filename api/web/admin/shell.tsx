import { NavLink, UnstyledButton } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useAccount, useCan } from "./account.tsx";
import { useApi } from "./api.ts";
import { admin } from "./client.ts";
import { useRead } from "./data.ts";
import { type GroupName, navigationOf } from "./navigation.ts";
import { Frame, Waiting } from "./parts/frame.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import SearchBox from "./parts/search-box.tsx";
import { t } from "./texts.ts";

/** The header and the navigation around a page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { full_name: name, role } = useAccount();
  const links = [
    { path: "/me", label: t("shell.my_account") },
    { path: "/account/second-factor", label: t("second_factor.title") },
  ];
  return (
    <Frame
      search={<SearchBox />}
      navigation={<Navigation />}
      account={{ name, role, links, onSignOut: () => void admin.logout() }}
    >
      {children}
    </Frame>
  );
}

function Navigation() {
  const [path] = useLocation();
  const groups = navigationOf(useApi(), useCan());
  const waiting = useWaiting();
  // What the administrator has opened or closed stays so.
  const [chosen, choose] = useLocalStorage<Partial<Record<GroupName, boolean>>>({
    key: "hubbub-navigation",
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const isAbove = (entry: string) => path === entry || (entry !== "/" && path.startsWith(`${entry}/`));
  // `/notifications/new` is an entry of its own, below another.
  const current = groups
    .flatMap(({ entries }) => entries.map((entry) => entry.path))
    .filter(isAbove)
    .reduce((best, one) => (one.length > best.length ? one : best), "");
  return groups.map(({ name, label, entries }) => {
    const isOpen =
      chosen[name] ?? (groups.length < 3 || entries.some((entry) => entry.path === current || entry.path === "/"));
    const count = entries.reduce((sum, entry) => sum + (waiting[entry.path] ?? 0), 0);
    return (
      <section key={name} className="nav-group" aria-label={label}>
        <h2>
          <UnstyledButton
            className="nav-label"
            aria-expanded={isOpen}
            onClick={() => choose({ ...chosen, [name]: !isOpen })}
          >
            <Icon name={groupIcons[name]} size={15} />
            <span className="nav-name">{label}</span>
            {!isOpen && <Waiting count={count} />}
            <Icon name={isOpen ? "up" : "down"} size={14} />
          </UnstyledButton>
        </h2>
        {isOpen &&
          entries.map((entry) => (
            <NavLink
              key={entry.path}
              component={Link}
              href={entry.path}
              label={entry.label}
              active={entry.path === current}
              aria-current={entry.path === current ? "page" : undefined}
              rightSection={<Waiting count={waiting[entry.path] ?? 0} />}
            />
          ))}
      </section>
    );
  });
}

/** Milliseconds after which what waits is counted again. */
const often = 60_000;
const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns how much waits for an administrator, by the page that shows it. */
function useWaiting(): Readonly<Record<string, number>> {
  const enabled = useCan()("dashboard.read");
  const now = useRead("getDashboard", { query: { time_zone } }, { enabled, refetchInterval: often }).data?.now;
  return now ? { "/reports": now.open_reports, "/tickets": now.open_tickets, "/approvals": now.pending_approvals } : {};
}

const groupIcons = {
  overview: "home",
  identity: "people",
  live: "mic",
  social: "chat",
  money: "money",
  catalogue: "catalogue",
  operations: "system",
} as const satisfies Record<string, IconName>;

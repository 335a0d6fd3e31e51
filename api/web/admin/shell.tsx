import {
  ActionIcon,
  AppShell,
  Badge,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from "@mantine/core";
import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { type ReactNode, useEffect } from "react";
import { Link, useLocation } from "wouter";
import { languageNames } from "../languages.ts";
import { useAccount, useCan } from "./account.tsx";
import { useApi } from "./api.ts";
import { admin } from "./client.ts";
import { useRead } from "./data.ts";
import { type GroupName, navigationOf } from "./navigation.ts";
import { Brand } from "./parts/brand.tsx";
import { ConfirmDialog } from "./parts/confirm.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import SearchBox from "./parts/search-box.tsx";
import { language, setLanguage, t } from "./texts.ts";

/** The header and the navigation around a page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [path] = useLocation();
  // Another page closes the navigation of a small screen.
  useEffect(close, [path]);

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: "md", collapsed: { mobile: !isOpen } }}
      padding={{ base: "md", sm: "lg" }}
    >
      <a className="skip" href="#main">
        {t("shell.skip")}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={t("shell.navigation")}
              aria-expanded={isOpen}
            />
            <Link href="/" className="home" aria-label={t("shell.home")}>
              <Brand />
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <SearchBox />
            <ColorScheme />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={t("shell.navigation")}>
        <AppShell.Section grow component={ScrollArea} type="hover" p="xs">
          <Navigation path={path} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main">{children}</AppShell.Main>
      <ConfirmDialog />
    </AppShell>
  );
}

function Navigation({ path }: { readonly path: string }) {
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

const Waiting = ({ count }: { readonly count: number }) =>
  count > 0 && (
    <Badge size="sm" variant="light" color="orange" aria-label={t("shell.waiting", { count })}>
      {count}
    </Badge>
  );

const groupIcons = {
  overview: "home",
  identity: "people",
  live: "mic",
  social: "chat",
  money: "money",
  catalogue: "catalogue",
  operations: "system",
} as const satisfies Record<string, IconName>;

function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={isDark ? t("shell.light") : t("shell.dark")}
      onClick={() => setColorScheme(isDark ? "light" : "dark")}
    >
      <Icon name={isDark ? "sun" : "moon"} />
    </ActionIcon>
  );
}

function AccountMenu() {
  const { full_name, role } = useAccount();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton className="account">
          <Icon name="account" />
          <span className="account-name">{full_name}</span>
          <VisuallyHidden>{t("shell.account")}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{role}</Menu.Label>
        <Menu.Item component={Link} href="/me">
          {t("shell.my_account")}
        </Menu.Item>
        <Menu.Item component={Link} href="/account/second-factor">
          {t("second_factor.title")}
        </Menu.Item>
        <Menu.Divider />
        {Object.entries(languageNames).map(([code, name]) => (
          <Menu.Item key={code} lang={code} aria-current={code === language} onClick={() => setLanguage(code)}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void admin.logout()}>{t("shell.sign_out")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

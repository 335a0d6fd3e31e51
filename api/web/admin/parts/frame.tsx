import {
  ActionIcon,
  AppShell,
  Badge,
  Burger,
  Group,
  Menu,
  ScrollArea,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useEffect } from "react";
import { Link, useLocation } from "wouter";
import { languageNames } from "../../languages.ts";
import { language, setLanguage, t } from "../texts.ts";
import { Brand } from "./brand.tsx";
import { ConfirmDialog } from "./confirm.tsx";
import { Icon } from "./icon.tsx";

interface Account {
  readonly name: string;
  readonly role: string;
  readonly links?: readonly { readonly path: string; readonly label: string }[];
  readonly onSignOut: () => void;
}

interface Props {
  readonly search?: ReactNode;
  readonly navigation: ReactNode;
  readonly account: Account;
  readonly children: ReactNode;
}

/** The header and the navigation around a page. */
export function Frame({ search, navigation, account, children }: Props) {
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
            {search}
            <ColorScheme />
            <AccountMenu {...account} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={t("shell.navigation")}>
        <AppShell.Section grow component={ScrollArea} type="hover" p="xs">
          {navigation}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main">{children}</AppShell.Main>
      <ConfirmDialog />
    </AppShell>
  );
}

/** How much waits behind an entry of the navigation. */
export const Waiting = ({ count }: { readonly count: number }) =>
  count > 0 && (
    <Badge size="sm" variant="light" color="orange" aria-label={t("shell.waiting", { count })}>
      {count}
    </Badge>
  );

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

function AccountMenu({ name, role, links = [], onSignOut }: Account) {
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton className="account">
          <Icon name="account" />
          <span className="account-name">{name}</span>
          <VisuallyHidden>{t("shell.account")}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{role}</Menu.Label>
        {links.map(({ path, label }) => (
          <Menu.Item key={path} component={Link} href={path}>
            {label}
          </Menu.Item>
        ))}
        {links.length > 0 && <Menu.Divider />}
        {Object.entries(languageNames).map(([code, name]) => (
          <Menu.Item key={code} lang={code} aria-current={code === language} onClick={() => setLanguage(code)}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={onSignOut}>{t("shell.sign_out")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

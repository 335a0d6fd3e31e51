import { Badge, type CSSVariablesResolver, createTheme, Menu, Modal, NavLink, PasswordInput } from "@mantine/core";
import { t } from "./texts.ts";

/** The colors of the demo, and shades that contrast enough with their backgrounds. */
export const theme = createTheme({
  primaryColor: "violet",
  primaryShade: { light: 8, dark: 8 },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Badge: Badge.extend({ defaultProps: { tt: "none", fw: 600, miw: "max-content" } }),
    // The header of a dialog isn't one of the page.
    Modal: Modal.extend({
      defaultProps: { attributes: { header: { role: "presentation" } } },
      styles: { title: { fontWeight: 600 } },
    }),
    // A menu that fades away is still read by screen readers, beside the dialog that it opened.
    Menu: Menu.extend({ defaultProps: { transitionProps: { duration: 0 } } }),
    NavLink: NavLink.extend({ defaultProps: { fz: "sm" } }),
    PasswordInput: PasswordInput.extend({
      defaultProps: { visibilityToggleButtonProps: { "aria-label": t("sign_in.show_password") } },
    }),
  },
});

const colors = ["red", "yellow", "green", "teal", "blue", "violet", "gray", "orange", "grape"];

/** Texts on light backgrounds of their own color are too pale by default. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5a6069",
    "--mantine-color-placeholder": "#6b7280",
    "--mantine-color-error": "#c92a2a",
    "--mantine-color-red-filled": "#c92a2a",
    "--mantine-color-teal-filled": "#087f5b",
    ...Object.fromEntries(
      colors.map((color) => [`--mantine-color-${color}-light-color`, `var(--mantine-color-${color}-9)`]),
    ),
    "--mantine-color-yellow-light-color": "#7a4a00",
    "--mantine-color-orange-light-color": "#9c3a06",
    "--mantine-color-teal-light-color": "#06604a",
  },
  dark: {
    "--mantine-color-dimmed": "#a6adb8",
    "--mantine-color-placeholder": "#9aa1ac",
    "--mantine-color-error": "#ff9c9c",
    // Also on the row under the pointer.
    "--mantine-color-anchor": "var(--mantine-color-violet-3)",
    "--mantine-color-red-filled": "#c92a2a",
    "--mantine-color-teal-filled": "#087f5b",
    ...Object.fromEntries(
      colors.map((color) => [`--mantine-color-${color}-light-color`, `var(--mantine-color-${color}-2)`]),
    ),
  },
});

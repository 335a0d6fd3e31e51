import { Badge, createTheme, Menu, Modal, NavLink, PasswordInput } from "@mantine/core";
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

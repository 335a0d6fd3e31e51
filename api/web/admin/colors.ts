import type { CSSVariablesResolver } from "@mantine/core";

/** Those of badges, buttons, and notes. */
export const colors = ["red", "yellow", "green", "teal", "blue", "violet", "gray", "orange", "grape"] as const;

/** Texts on light backgrounds of their own color are too pale by default, also under the pointer. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5a6069",
    "--mantine-color-placeholder": "#6b7280",
    "--mantine-color-error": "#c92a2a",
    "--mantine-color-red-filled": "#c92a2a",
    "--mantine-color-teal-filled": "#087f5b",
    "--mantine-color-red-light-color": "#a61e1e",
    "--mantine-color-yellow-light-color": "#7a4a00",
    "--mantine-color-green-light-color": "#1f6b30",
    "--mantine-color-teal-light-color": "#06604a",
    "--mantine-color-blue-light-color": "#145591",
    "--mantine-color-violet-light-color": "#5332b4",
    "--mantine-color-orange-light-color": "#9c3a06",
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

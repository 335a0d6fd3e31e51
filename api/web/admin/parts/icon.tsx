/** Outlines on a grid of 24. */
const paths = {
  home: "M4 11.5 12 5l8 6.5V20h-5.5v-5h-5v5H4z",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9c.4-3.6 2.8-5.5 6-5.5s5.600 1.900 6 5.500M16 4.500a3.500 3.500 0 0 1 0 6M17.500 14.800c2.100.6 3.300 2.300 3.500 5.200",
  community: "M5 18V6.500h14V18M5 18h14M9 22h6M9 10.500h6M9 14h4",
  chat: "M4 5h16v11H10l-4 4v-4H4z",
  money:
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm3-12.500c-.6-1-1.700-1.500-3-1.500-1.700 0-3 .9-3 2.300 0 3.200 6.200 1.600 6.200 4.900 0 1.500-1.400 2.400-3.200 2.400-1.500 0-2.700-.6-3.300-1.700M12 5.500V7m0 9.700v1.800",
  catalogue: "M4 8.500 12 4l8 4.500v7.500l-8 4.500-8-4.500zM4 8.500l8 4.500 8-4.500M12 13v7.500",
  system:
    "M12 15.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400ZM12 3v2.500m0 13V21M3 12h2.500m13 0H21M5.600 5.600l1.800 1.800m9.200 9.200 1.800 1.800m0-12.800-1.800 1.800M7.400 16.600l-1.800 1.800",
  bell: "M6 17V11a6 6 0 1 1 12 0v6l1.500 2h-15zM10 21h4",
  search: "M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13Zm4.700-1.800L20.500 20.500",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v2m0 14v2M3 12h2m14 0h2M5.600 5.600 7 7m10 10 1.400 1.400m0-12.800L17 7M7 17l-1.400 1.400",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500Z",
  plus: "M12 5v14M5 12h14",
  download: "M12 4v11m-4.500-4 4.500 4.500 4.500-4.500M5 20h14",
  more: "M12 6h.01M12 12h.01M12 18h.01",
  back: "m14.500 6-6 6 6 6",
  forward: "m9.500 6 6 6-6 6",
  up: "m6 14.500 6-6 6 6",
  down: "m6 9.500 6 6 6-6",
  filter: "M4 6h16M7 12h10M10 18h4",
  close: "m6 6 12 12M18 6 6 18",
  check: "m5 12.500 4.500 4.500L19 7.500",
  alert: "M12 4 2.800 20h18.400zM12 10v4.500m0 2.500v.01",
  account: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7.500 9c.5-4 3.500-6 7.500-6s7 2 7.500 6",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-14v5.200l3.400 2",
  chart: "M4 20h16M7 16v-5m5 5V6m5 10v-7",
  shield: "M12 3.500 5 6v6c0 4.300 2.800 7.200 7 8.500 4.200-1.300 7-4.200 7-8.500V6z",
  mic: "M12 14.500a3 3 0 0 0 3-3V6a3 3 0 1 0-6 0v5.500a3 3 0 0 0 3 3ZM6 11a6 6 0 0 0 12 0M12 17v4",
} as const;

export type IconName = keyof typeof paths;

/** An icon beside a text, or in a control with a name; screen readers don't mention it. */
export const Icon = ({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className={name === "back" || name === "forward" ? "directed" : undefined}
  >
    <path d={paths[name]} />
  </svg>
);

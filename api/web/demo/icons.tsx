import { numberText, t } from "./texts.ts";

/** Line icons on a grid of 24. */
const paths = {
  home: "M3 11 12 4l9 7v9a1 1 0 0 1-1 1h-5v-6H9v6H4a1 1 0 0 1-1-1z",
  feed: "M4 5h16M4 10h16M4 15h10M4 20h10",
  chat: "M4 5h16v11H9l-5 4z",
  people: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8m-7 10c0-5 3-7 7-7s7 2 7 7M16 3a4 4 0 0 1 0 8m2 3c3 1 4 3 4 7",
  bag: "M5 8h14l1 13H4zM8 8a4 4 0 0 1 8 0",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4",
  mic: "M12 3a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3M5 12a7 7 0 0 0 14 0M12 19v3",
  micOff: "M9 6a3 3 0 0 1 6 0v6m-1 2.6A3 3 0 0 1 9 12v-2M5 12a7 7 0 0 0 11 5.7M19 12c0 1-.2 2-.6 2.8M12 19v3M3 3l18 18",
  gift: "M3 9h18v4H3zM5 13v8h14v-8M12 9v12M12 9c-6 0-6-6-2.5-6C12 3 12 9 12 9c0 0 0-6 2.5-6C18 3 18 9 12 9",
  game: "M7 7h10a5 5 0 0 1 5 5c0 6-4 7-6 3H8c-2 4-6 3-6-3a5 5 0 0 1 5-5M7 10v4M5 12h4M16 11h.01M18 13h.01",
  leave: "M10 4H5v16h5M14 8l5 4-5 4M19 12H9",
  send: "M4 12 20 4l-5 16-4-7z",
  lock: "M6 11h12v10H6zM8 11V8a4 4 0 0 1 8 0v3",
  plus: "M12 5v14M5 12h14",
  flag: "M5 21V4h14l-4 4 4 4H5",
  close: "M6 6l12 12M18 6 6 18",
  back: "M15 5l-7 7 7 7",
  seat: "M7 4h10v9H7zM5 13h14v4H5zM7 17v4M17 17v4",
  heart: "M12 20C3 14 3 9 3 8.500a4.500 4.500 0 0 1 9-1.500 4.500 4.500 0 0 1 9 1.500c0 .5 0 5.500-9 11.500",
  phone: "M7 2h10v20H7zM11 18h2",
  wave: "M4 10v4M8 6v12M12 3v18M16 6v12M20 10v4",
  coin: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M9 12h6M12 9v6",
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name, size = 22 }: { name: IconName; size?: number }) => (
  <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
);

/** A coin with its number. */
export const Coins = ({ amount }: { amount: number }) => (
  <span className="coins">
    <i aria-hidden="true" />
    {numberText(amount)}
    <span className="sr"> {t("coins")}</span>
  </span>
);

import type { ReactNode } from "react";

/**
 * Small pictures on a grid of 48: gifts, and the faces of the cards of memory. Drawn here, because no font is sure to
 * have them.
 */
const pictures: Readonly<Record<string, ReactNode>> = {
  clap: (
    <g fill="#ffcf8b" stroke="#a65f16" strokeWidth="2" strokeLinejoin="round">
      <path d="M14 40 8 26l3-9 4 6 12-12 3 3-7 9 9-8 3 3-8 10 7-5 2 3-12 14z" />
      <path d="M30 6v6M38 9l-4 5M44 16l-6 3" stroke="#f5a524" fill="none" strokeLinecap="round" />
    </g>
  ),
  rose: (
    <g>
      <path
        d="M24 24v20M24 36c-8 0-10-4-11-8 7 0 10 3 11 8m0 3c7 0 9-3 10-7-6 0-9 2-10 7"
        fill="#3f9b58"
        stroke="#2b7a42"
        strokeWidth="2"
      />
      <path d="M12 12c0-3 4-4 6-2 1-5 11-5 12 0 2-2 6-1 6 2 0 8-5 15-12 15s-12-7-12-15" fill="#e5345f" />
      <path d="M24 11c-5 1-5 8 0 9 5-1 5-8 0-9" fill="#ff7d9b" />
    </g>
  ),
  coffee: (
    <g>
      <path d="M10 18h24v14a9 9 0 0 1-9 9h-6a9 9 0 0 1-9-9z" fill="#fff" stroke="#8d5a3b" strokeWidth="2" />
      <path d="M34 21h3a5 5 0 0 1 0 10h-3" fill="none" stroke="#8d5a3b" strokeWidth="3" />
      <path d="M12 20h20v4H12z" fill="#6f4022" />
      <path
        d="M17 14c-2-3 2-4 0-8M25 14c-2-3 2-4 0-8"
        fill="none"
        stroke="#b9a79a"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </g>
  ),
  "birthday cake": (
    <g>
      <path d="M8 26h32v15H8z" fill="#f7b0c6" />
      <path d="M8 26c0-5 32-5 32 0v4c-4 4-6-1-8 2s-5 1-8-1-5 4-8 0-5 1-8-1z" fill="#fff" />
      <path d="M16 22v-8M24 21v-8M32 22v-8" stroke="#6a5cff" strokeWidth="3" />
      <path
        d="M16 12c-2-2 0-5 0-5s2 3 0 5m8-1c-2-2 0-5 0-5s2 3 0 5m8 1c-2-2 0-5 0-5s2 3 0 5"
        fill="#ffb020"
        stroke="#ffb020"
        strokeWidth="2"
      />
      <path d="M6 41h36v3H6z" fill="#c07a97" />
    </g>
  ),
  confetti: (
    <g>
      <path d="M8 42 18 18l12 12z" fill="#ffb020" />
      <path d="M13 31l7 7M16 24l10 10" stroke="#e5345f" strokeWidth="3" />
      <path
        d="M26 20c0-6 4-8 8-12M30 24c6 1 8-2 12-4M28 12h2M38 14l2 2M34 30l3 2M22 8l1 3"
        fill="none"
        stroke="#6a5cff"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <circle cx="39" cy="27" r="2" fill="#20b27a" />
      <circle cx="20" cy="13" r="2" fill="#e5345f" />
    </g>
  ),
  dhol: (
    <g>
      <path d="M12 14h24v20H12z" fill="#c2571d" />
      <ellipse cx="12" cy="24" rx="6" ry="10" fill="#f7e4c2" stroke="#7a3410" strokeWidth="2" />
      <ellipse cx="36" cy="24" rx="6" ry="10" fill="#f7e4c2" stroke="#7a3410" strokeWidth="2" />
      <path d="M14 15l8 18 8-18 5 18M14 33l8-18 8 18 5-18" fill="none" stroke="#ffd27d" strokeWidth="2" />
      <path d="M4 38l10-8M44 38l-10-8" stroke="#7a3410" strokeWidth="3" strokeLinecap="round" />
    </g>
  ),
  fireworks: (
    <g strokeWidth="3" strokeLinecap="round" fill="none">
      <path d="M24 6v9M24 27v9M9 21h9M30 21h9M13 10l6 6M29 26l6 6M35 10l-6 6M19 26l-6 6" stroke="#ff5d7d" />
      <path d="M38 34v4M38 42v3M32 40h3M41 40h3" stroke="#36c5f0" />
      <path d="M10 36v3M10 43v2M6 41h2M12 41h2" stroke="#ffb020" />
    </g>
  ),
  "sports car": (
    <g>
      <path d="M4 30c0-5 5-6 9-7l6-7h12l6 7c5 0 8 3 8 8v3H4z" fill="#e5345f" />
      <path d="M20 18h5v6h-9zM28 18h2l5 6h-7z" fill="#bfe6ff" />
      <circle cx="14" cy="34" r="5" fill="#23242d" />
      <circle cx="35" cy="34" r="5" fill="#23242d" />
      <circle cx="14" cy="34" r="2" fill="#cfd2dd" />
      <circle cx="35" cy="34" r="2" fill="#cfd2dd" />
    </g>
  ),
  yacht: (
    <g>
      <path d="M22 6v24H8z" fill="#fff" stroke="#9fb3c8" />
      <path d="M25 10v20h14z" fill="#ff8aa3" />
      <path d="M5 32h38l-6 9H12z" fill="#245a9c" />
      <path d="M3 43c4-3 6 2 10 0s6 2 10 0 6 2 10 0 6 2 12 0" fill="none" stroke="#36c5f0" strokeWidth="2" />
    </g>
  ),
  castle: (
    <g>
      <path d="M7 20v22h34V20h-4v4h-5v-4h-4v4h-8v-4h-4v4h-5v-4z" fill="#a99cf5" />
      <path d="M16 24V10h4v3h8v-3h4v14z" fill="#8a7bea" />
      <path d="M20 42v-8a4 4 0 0 1 8 0v8z" fill="#3b2f7d" />
      <path d="M24 10V3l8 3-8 3" fill="#ffb020" stroke="#3b2f7d" strokeWidth="1.500" />
    </g>
  ),
  anchor: (
    <path
      d="M24 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8m0 8v26M14 22h20M8 30c1 8 8 12 16 12s15-4 16-12"
      fill="none"
      stroke="#245a9c"
      strokeWidth="4"
    />
  ),
  balloon: (
    <g>
      <path d="M24 5c9 0 13 7 13 14 0 8-7 14-13 14s-13-6-13-14c0-7 4-14 13-14" fill="#e5345f" />
      <path d="M24 33v11M21 36h6z" stroke="#8b8fa3" strokeWidth="2" fill="none" />
      <ellipse cx="19" cy="14" rx="3" ry="5" fill="#ff9db4" />
    </g>
  ),
  cactus: (
    <path
      d="M19 44V10a5 5 0 0 1 10 0v18h4V18a4 4 0 0 1 8 0v10a8 8 0 0 1-8 8h-4v8zM7 16a4 4 0 0 1 8 0v10h4v8h-4a8 8 0 0 1-8-8z"
      fill="#2f9e63"
    />
  ),
  drum: (
    <g>
      <path d="M8 18v18c0 4 32 4 32 0V18z" fill="#d9480f" />
      <ellipse cx="24" cy="18" rx="16" ry="6" fill="#fbe6c8" />
      <path d="M8 22l8 16 8-14 8 14 8-16M14 6l8 10M36 6l-10 10" fill="none" stroke="#5f3dc4" strokeWidth="2.500" />
    </g>
  ),
  feather: (
    <path
      d="M8 42 18 30m-4-2C14 14 26 6 42 6c0 16-8 26-24 26M18 30 34 14"
      fill="#8ad4c8"
      stroke="#1f7a6c"
      strokeWidth="2.500"
    />
  ),
  guitar: (
    <g>
      <path d="M20 22c4-1 7 2 6 6 4 2 3 14-9 14S4 32 10 27c4-3 6-3 10-5" fill="#c2771d" />
      <circle cx="17" cy="32" r="4" fill="#4a2a08" />
      <path d="M18 31 38 8l4 3" fill="none" stroke="#4a2a08" strokeWidth="3" />
    </g>
  ),
  kite: (
    <g>
      <path d="M28 4 44 18 24 34 16 14z" fill="#ffb020" />
      <path d="M28 4 24 34M16 14l28 4" stroke="#a65f16" strokeWidth="2" />
      <path d="M24 34c-8 2-2 7-9 8s-8 2-10 2" fill="none" stroke="#6a5cff" strokeWidth="2.500" />
    </g>
  ),
  lantern: (
    <g>
      <path d="M18 8h12l4 8H14zM14 38h20l-3 5H17z" fill="#5c4033" />
      <path d="M14 16h20v22H14z" fill="#ffd166" stroke="#5c4033" strokeWidth="2" />
      <path d="M24 21c6 6 3 12 0 12s-6-6 0-12" fill="#f3722c" />
      <path d="M24 3v5" stroke="#5c4033" strokeWidth="3" />
    </g>
  ),
  mango: (
    <g>
      <path d="M30 10c10 4 12 16 5 25-6 8-20 10-27 3 0-8 4-10 6-16 2-8 9-14 16-12" fill="#f9a03f" />
      <path d="M30 10c2-5 7-6 12-4-2 5-7 7-12 4" fill="#3f9b58" />
      <path d="M20 20c-3 3-3 8-6 11" stroke="#ffd08a" strokeWidth="3" fill="none" />
    </g>
  ),
  owl: (
    <g>
      <path d="M10 8l7 4h14l7-4v20a14 14 0 0 1-28 0z" fill="#8d6748" />
      <circle cx="18" cy="20" r="6" fill="#fff" />
      <circle cx="30" cy="20" r="6" fill="#fff" />
      <circle cx="18" cy="20" r="2.500" />
      <circle cx="30" cy="20" r="2.500" />
      <path d="M22 25h4l-2 4z" fill="#f5a524" />
      <path d="M17 33c3 5 11 5 14 0" fill="#d9b38c" />
    </g>
  ),
  peacock: (
    <g>
      <circle cx="24" cy="22" r="18" fill="#14919b" />
      <circle cx="14" cy="16" r="4" fill="#ffd166" />
      <circle cx="24" cy="11" r="4" fill="#ffd166" />
      <circle cx="34" cy="16" r="4" fill="#ffd166" />
      <path d="M24 18c5 0 6 6 5 12 0 6-2 13-5 13s-5-7-5-13c-1-6 0-12 5-12" fill="#2b4fc7" />
      <circle cx="24" cy="24" r="1.500" fill="#fff" />
    </g>
  ),
  rocket: (
    <g>
      <path d="M24 4c9 7 10 18 7 28H17c-3-10-2-21 7-28" fill="#e9ebf5" stroke="#8b8fa3" strokeWidth="1.500" />
      <circle cx="24" cy="18" r="4.500" fill="#36a3f0" />
      <path d="M17 24 9 36l9-3M31 24l8 12-9-3" fill="#e5345f" />
      <path d="M20 34h8l-4 11z" fill="#ffb020" />
    </g>
  ),
};

/** The picture of a gift or a card by its name, or a parcel. Decorative: the name is beside it. */
export const Art = ({ name, size = 40 }: { name: string; size?: number }) => (
  <svg className="art" width={size} height={size} viewBox="0 0 48 48" aria-hidden="true" focusable="false">
    {pictures[name.toLowerCase()] ?? (
      <g>
        <path d="M6 18h36v26H6z" fill="#8a7bea" />
        <path d="M4 12h40v8H4zM21 12h6v32h-6z" fill="#ffb020" />
      </g>
    )}
  </svg>
);

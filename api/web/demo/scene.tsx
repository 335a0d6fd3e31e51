import type { ReactNode } from "react";
import { hueOf } from "./avatar.tsx";

/** What is before the hills of a picture, by its name, on a grid of 160 by 90. */
const motifs: Readonly<Record<string, ReactNode>> = {
  moth: (
    <g>
      <path d="M18 60h124v30H18z" fill="#f4ecd8" />
      <path d="M28 68h104M28 75h104M28 82h70" stroke="#b9ac8c" strokeWidth="1.500" />
      <path d="M80 40c-8-18-34-16-36-4 2 14 24 20 36 10 12 10 34 4 36-10-2-12-28-14-36 4" fill="#8d6748" />
      <path d="M80 46c-9 2-20 12-15 20 7 2 13-6 15-12 2 6 8 14 15 12 5-8-6-18-15-20" fill="#b48a62" />
      <path d="M80 36v28M80 36c-2-7-6-9-9-9m9 9c2-7 6-9 9-9" stroke="#3d2a1c" strokeWidth="2.500" fill="none" />
      <circle cx="58" cy="37" r="3.500" fill="#f4d9a8" />
      <circle cx="102" cy="37" r="3.500" fill="#f4d9a8" />
    </g>
  ),
  radio: (
    <g>
      <path d="M44 34 100 12" stroke="#d9d4e8" strokeWidth="2" />
      <rect x="36" y="34" width="88" height="46" rx="7" fill="#8c4a2f" />
      <circle cx="60" cy="57" r="16" fill="#3b2018" />
      <path d="M50 52h20M48 57h24M50 62h20" stroke="#c98a5e" strokeWidth="1.500" />
      <rect x="84" y="42" width="32" height="12" rx="2" fill="#ffe9b0" />
      <path d="M103 42v12" stroke="#d83a3a" strokeWidth="2" />
      <circle cx="91" cy="67" r="5" fill="#e8c48a" />
      <circle cx="109" cy="67" r="5" fill="#e8c48a" />
    </g>
  ),
  limes: (
    <g>
      <ellipse cx="80" cy="82" rx="60" ry="8" fill="#5b3a26" />
      <circle cx="56" cy="62" r="20" fill="#5fae3c" />
      <circle cx="104" cy="60" r="22" fill="#7cc651" />
      <circle cx="104" cy="60" r="17" fill="#e6f5c4" />
      <path d="M104 43v34M87 60h34M92 48l24 24M116 48 92 72" stroke="#9fd172" strokeWidth="2" />
    </g>
  ),
};

/** A picture: a sky, a sun, and hills in the colours of its name, and its motif if it has one. Decorative. */
export function Scene({ name }: { name: string }) {
  const hue = hueOf(name);
  return (
    <svg className="scene" viewBox="0 0 160 90" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <path d="M0 0h160v90H0z" fill={`hsl(${hue} 55% 34%)`} />
      <path d="M0 30h160v60H0z" fill={`hsl(${hue + 25} 60% 42%)`} opacity="0.700" />
      <circle cx={100 + (hue % 40)} cy="34" r="15" fill={`hsl(${hue + 60} 90% 74%)`} />
      <path d="M0 62c24-18 46-14 66-2s54 8 94-14v44H0z" fill={`hsl(${hue + 10} 48% 26%)`} />
      <path d="M0 74c34-12 58-2 84 2s52-8 76-12v26H0z" fill={`hsl(${hue - 10} 50% 18%)`} />
      {motifs[name]}
    </svg>
  );
}

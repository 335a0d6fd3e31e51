/** Colours of skin, hair, and clothes that go together in any combination. */
const skins = ["#f6d3b8", "#e8b48c", "#c98a5e", "#a5673f", "#7a4a2b", "#f0c39d"] as const;
const hairs = ["#2b1b17", "#4a2c1a", "#7b4a21", "#b5762e", "#1d1f2b", "#8b8790"] as const;
const clothes = ["#e5345f", "#2f7de1", "#1fa36b", "#f0a020", "#8a5cf0", "#0e9aa7"] as const;

/** Hair behind and before the head, on a grid of 48. */
const styles: readonly { readonly behind?: string; readonly before: string }[] = [
  { before: "M13 21C13 9 35 9 35 21 30 17 20 16 13 21" },
  { behind: "M11 36C9 8 39 8 37 36z", before: "M13 22C14 9 34 9 35 22 31 15 22 20 13 22" },
  { before: "M13 20c-3-9 5-13 11-12 8-2 14 5 11 12-1-5-5-6-11-6s-10 1-11 6" },
  { behind: "M24 2a7 7 0 1 1 0 12 7 7 0 0 1 0-12", before: "M13 21C13 8 35 8 35 21 29 13 19 13 13 21" },
  { behind: "M10 22a14 14 0 0 1 28 0c3 6-2 10-6 9H16c-4 1-9-3-6-9", before: "M13 21c2-7 20-7 22 0 0-15-22-15-22 0" },
  { behind: "M9 44C6 6 42 6 39 44z", before: "M13 26C12 8 36 8 35 26 33 17 15 17 13 26" },
];

const hashOf = (text: string): number =>
  [...text].reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0, 17);

/** A face, drawn from a name: the same each time, and loaded from nowhere. */
export function Face({ name }: { name: string }) {
  const hash = hashOf(name);
  const one = <T,>(all: readonly T[], salt: number): T => all[(Math.imul(hash, salt) >>> 9) % all.length]!;
  const { behind, before } = one(styles, 2_654_435_761);
  const hair = one(hairs, 40_503);
  const hasGlasses = (hash >>> 5) % 4 === 0;
  return (
    <g>
      {behind && <path d={behind} fill={hair} />}
      <path d="M8 48c0-9 7-13 16-13s16 4 16 13z" fill={one(clothes, 69_069)} />
      <path d="M20 30h8v6a4 4 0 0 1-8 0z" fill={one(skins, 16_807)} />
      <ellipse cx="24" cy="23" rx="10" ry="11.500" fill={one(skins, 16_807)} />
      <path d={before} fill={hair} />
      <g fill="#2a2433">
        <circle cx="20" cy="23.500" r="1.300" />
        <circle cx="28" cy="23.500" r="1.300" />
      </g>
      <path
        d="M20.500 28.500c2 2.500 5 2.500 7 0"
        fill="none"
        stroke="#8c3b3b"
        strokeWidth="1.400"
        strokeLinecap="round"
      />
      {hasGlasses && (
        <path
          d="M16.500 23.500a3.500 3 0 1 0 7 0 3.500 3 0 1 0-7 0m8 0a3.500 3 0 1 0 7 0 3.500 3 0 1 0-7 0m-1 0h1"
          fill="none"
          stroke="#2a2433"
          strokeWidth="1.100"
        />
      )}
    </g>
  );
}

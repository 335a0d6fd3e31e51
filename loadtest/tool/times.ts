/** Milliseconds since 1970, with fractions, and never set back: the same in all processes of a machine. */
export const now = (): number => performance.timeOrigin + performance.now();

/** Returns the known name that a mistyped one most probably means: at most a third of it differs. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const most = Math.floor(Math.min(name.length, 64) / 3);
  const [nearest] = known
    .filter((other) => Math.abs(other.length - Math.min(name.length, 64)) <= most)
    .map((other) => ({ other, distance: distance(name.slice(0, 64).toLowerCase(), other.toLowerCase()) }))
    .filter((candidate) => candidate.distance <= most)
    .toSorted((one, two) => one.distance - two.distance);
  return nearest?.other;
}

/** Returns how many letters must be inserted, removed or replaced (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_none, index) => index);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [column, its] of [...other].entries())
      next.push(Math.min(next[column]! + 1, row[column + 1]! + 1, row[column]! + (letter === its ? 0 : 1)));
    row = next;
  }
  return row[other.length]!;
}

/**
 * Up to this many rows, a count is that of its list. Beyond it, counting would cost more than a few hidden rows matter.
 */
export const exactCountMax = 1000;

/**
 * The count of a list of which a viewer may not see all: rows of users who have blocked them, or whom they have
 * blocked, or whose accounts aren't active. `stored` is the kept number of all rows. Up to `most` of them, counts those
 * that the list shows, by the list's own condition, so that the two agree; beyond that, it is `stored`. `from` is what
 * follows FROM in the list's statement.
 */
export const shownCount = (stored: string, from: string, most = exactCountMax): string =>
  `CASE WHEN ${stored} = 0 THEN 0 WHEN ${stored} > ${most} THEN ${stored} ELSE (SELECT count(*) FROM ${from}) END`;

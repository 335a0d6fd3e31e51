import { query } from "#shared/db/query.ts";

/**
 * Of an account that is deleted nothing stays in reports but its bare id: neither what was reported of it, nor what it
 * reported in its own words. Answers how many reports were changed; 0 when it is called again.
 */
export async function forgetWords(userId: string): Promise<number> {
  const changed = await query(
    `UPDATE reports SET
       evidence = CASE WHEN target_user_id = $1 THEN '{}' ELSE evidence END,
       reason = CASE WHEN reporter_id = $1 THEN '' ELSE reason END,
       details = CASE WHEN reporter_id = $1 THEN '' ELSE details END
     WHERE (target_user_id = $1 AND evidence <> '{}') OR (reporter_id = $1 AND (reason <> '' OR details <> ''))
     RETURNING 1`,
    [userId],
  );
  return changed.length;
}

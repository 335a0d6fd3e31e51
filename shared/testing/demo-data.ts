import { query } from "#shared/db/query.ts";
import { demoPeople } from "#shared/domain/operations/demo/demo-data.ts";

/**
 * Gives the demo people their names and addresses, should another test have taken them. Forgets earlier demo people.
 */
export const freeDemoNames = () =>
  query(
    `UPDATE users SET username = 'was_' || right(replace(id::text, '-', ''), 20), email = id || '@example.com'
     WHERE username = ANY($1::text[]) OR email = ANY($2::text[])`,
    [demoPeople.map(({ username }) => username), demoPeople.map(({ email }) => email)],
  );

import { exampleIds } from "#shared/contracts/examples.ts";
import { queryOne } from "#shared/db/query.ts";
import { login } from "#shared/domain/identity/accounts/login.ts";
import { issueToken } from "#shared/domain/identity/api-keys/api-tokens.ts";
import { issueAccessToken, verifyAccessToken } from "#shared/domain/identity/sessions/access-token.ts";
import type { ClientDevice } from "#shared/domain/identity/sessions/open-session.ts";
import { logInAdmin } from "#shared/domain/operations/admins/log-in-admin.ts";
import { demoPassword, demoPeople } from "./demo-data.ts";
import { demoKeys } from "./seed-catalogue.ts";
import { demoAdminEmail } from "./seed-demo-admin.ts";

/** Who a developer can be in the documents. */
export const demoCallers = ["ada", "grace", "admin", "catalogue"] as const;
export type DemoCaller = (typeof demoCallers)[number];

/** Lifetime of a user's token, seconds: longer than the API's, so that readers aren't logged out. */
const userTokenSeconds = 60 * 60;

/**
 * Logs one of the demo people, the demo administrator, or the holder of the demo keys in. For development only; the
 * caller decides.
 * @throws INVALID_CREDENTIALS, UNAUTHENTICATED without demo data
 */
export async function logInDemo(as: DemoCaller, origin: ClientDevice & { requestId: string }): Promise<string> {
  if (as === "catalogue") return issueToken(demoKeys.publicKey, demoKeys.secretKey, origin.ip);
  if (as === "admin") return (await logInAdmin({ email: demoAdminEmail, password: demoPassword }, origin)).token;
  const { accessToken } = await login({ identifier: as, password: demoPassword }, origin);
  const { userId, sessionId } = await verifyAccessToken(accessToken);
  return issueAccessToken(userId, sessionId, { seconds: userTokenSeconds });
}

/**
 * Returns which ID in this database stands for an ID in the documents' examples, of what Ada can see. Without demo data
 * of a kind, its example has no entry.
 */
export async function idsOfExamples(): Promise<Record<string, string>> {
  const [ada, grace] = demoPeople.map(({ username }) => username);
  const found = await queryOne<Record<keyof typeof exampleIds, string | null>>(
    `WITH ada AS (SELECT id FROM users WHERE username = $1), grace AS (SELECT id FROM users WHERE username = $2)
     SELECT (SELECT id FROM ada) AS ada, (SELECT id FROM grace) AS grace,
       (SELECT id FROM rooms WHERE host_id = (SELECT id FROM ada) AND status = 'open' ORDER BY id LIMIT 1) AS room,
       (SELECT id FROM gift_categories WHERE retired_at IS NULL ORDER BY position LIMIT 1) AS "giftCategory",
       (SELECT id FROM gifts WHERE retired_at IS NULL ORDER BY price, id LIMIT 1) AS gift,
       (SELECT id FROM coin_packages WHERE retired_at IS NULL ORDER BY price, id LIMIT 1) AS "coinPackage",
       (SELECT id FROM frames WHERE retired_at IS NULL ORDER BY price, id LIMIT 1) AS frame,
       (SELECT id FROM vip_plans WHERE retired_at IS NULL ORDER BY price, id LIMIT 1) AS "vipPlan",
       (SELECT id FROM posts WHERE author_id = (SELECT id FROM grace) AND status = 'visible' ORDER BY id LIMIT 1) AS post,
       (SELECT conversation_id FROM direct_messages WHERE sender_id = (SELECT id FROM ada) ORDER BY id LIMIT 1) AS conversation,
       (SELECT id FROM notifications WHERE user_id = (SELECT id FROM ada) ORDER BY id DESC LIMIT 1) AS notification,
       (SELECT id FROM payment_orders WHERE user_id = (SELECT id FROM ada) ORDER BY id DESC LIMIT 1) AS "coinOrder",
       (SELECT id FROM campaigns ORDER BY id LIMIT 1) AS campaign`,
    [ada, grace],
  );
  const pairs = Object.entries(found ?? {}).flatMap(([name, id]) =>
    id ? [[exampleIds[name as keyof typeof exampleIds], id] as const] : [],
  );
  return Object.fromEntries(pairs);
}

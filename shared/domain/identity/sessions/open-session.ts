import type { Tokens } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { issueAccessToken } from "./access-token.ts";
import { keyedHash } from "./keyed-hash.ts";
import { hashRefreshToken, newRefreshToken } from "./refresh-token.ts";
import { type StandingRow, standingColumns, standingOf } from "./standing.ts";

/** Where a user logs in from, as shown in the list of their sessions. */
export interface ClientDevice {
  readonly ip: string;
  readonly userAgent: string;
  /** The app's ID of the device, if it says one. */
  readonly deviceId?: string | undefined;
}

/** What is stored of the app's ID of a device. */
export const hashOfDevice = (id: string): Buffer => keyedHash("device", id);

export interface OpenedSession extends Tokens {
  readonly sessionId: string;
}

/**
 * Step: opens a session, valid for 30 days from its last use and for 90 days in all. The caller holds a lock on the
 * user's row, so that no session opens during a suspension. `way` is the provider of the identity that opened it.
 */
export async function openSession(
  tx: Tx,
  userId: string,
  device: ClientDevice,
  way = "password",
): Promise<OpenedSession> {
  const sessionId = newId();
  const refreshToken = newRefreshToken();
  const [user] = await tx.query<StandingRow>(
    `WITH session AS (
       INSERT INTO sessions (id, user_id, user_agent, ip, way, device_hash, expires_at)
       VALUES ($1, $2, $3, $4, $6, $7, now() + interval '90 days')
     ), token AS (
       INSERT INTO refresh_tokens (token_hash, session_id, expires_at) VALUES ($5, $1, now() + interval '30 days')
     )
     SELECT ${standingColumns} FROM users u WHERE u.id = $2`,
    [
      sessionId,
      userId,
      device.userAgent,
      device.ip,
      hashRefreshToken(refreshToken),
      way,
      device.deviceId === undefined ? null : hashOfDevice(device.deviceId),
    ],
  );
  return { sessionId, accessToken: issueAccessToken(userId, sessionId, standingOf(user!)), refreshToken };
}

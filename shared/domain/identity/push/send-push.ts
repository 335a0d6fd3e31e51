import { dropPushTokens, type PushTarget, pushTargets } from "#shared/domain/identity/devices/devices.queries.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { pushProvider } from "./push.config.ts";
import { type PushContent, PushDelayed, type PushProvider } from "./push.provider.ts";
import { reachableByPush } from "./push.queries.ts";

export interface PushResult {
  /** How many devices need nothing more. */
  readonly settled: number;
  /** The devices to retry, and how long the provider asks to wait before that. */
  readonly failed: string[];
  readonly waitSeconds: number;
}

/**
 * Pushes to the devices of a user who is not connected and wants pushes; only to `deviceIds` if given. Drops the tokens
 * of devices that no longer exist.
 */
export async function sendPush(
  userId: string,
  content: PushContent,
  deviceIds?: readonly string[],
): Promise<PushResult> {
  const provider = pushProvider();
  if (!provider || (await reachableByPush([userId])).length === 0) return { settled: 0, failed: [], waitSeconds: 0 };
  const targets = (await pushTargets([userId])).filter(({ device_id }) => deviceIds?.includes(device_id) ?? true);
  const outcomes = await Promise.all(targets.map((target) => sendTo(provider, target, content)));
  await dropPushTokens(
    targets.filter((_target, index) => outcomes[index] === "unknown_device").map(({ push_token }) => push_token),
  );

  const failures = outcomes.filter((outcome) => outcome instanceof Error);
  const failed = targets.filter((_target, index) => outcomes[index] instanceof Error).map(({ device_id }) => device_id);
  const waitSeconds = Math.max(0, ...failures.map((error) => (error instanceof PushDelayed ? error.waitSeconds : 0)));
  return { settled: targets.length - failed.length, failed, waitSeconds };
}

type Outcome = Awaited<ReturnType<PushProvider["send"]>> | Error;

async function sendTo(provider: PushProvider, target: PushTarget, content: PushContent): Promise<Outcome> {
  const outcome = await provider.send(target.push_token, content).catch((error: Error) => error);
  if (outcome instanceof Error)
    logger.warn({ err: outcome, device: target.device_id }, "push failed and will be retried");
  metrics.devicePushes.inc({ outcome: outcome instanceof Error ? "failed" : outcome });
  return outcome;
}

import { dropPushTokens, type PushTarget, pushTargets } from "#shared/domain/identity/devices/devices.queries.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { pushProvider } from "./push.config.ts";
import type { PushContent, PushProvider } from "./push.provider.ts";
import { reachableByPush } from "./push.queries.ts";

/**
 * Pushes to the devices of a user who is not connected and wants pushes; only to `deviceIds` if given. Drops the tokens
 * of devices that no longer exist. Returns how many devices are settled, and which to retry.
 */
export async function sendPush(
  userId: string,
  content: PushContent,
  deviceIds?: readonly string[],
): Promise<{ settled: number; failed: string[] }> {
  const provider = pushProvider();
  if (!provider || (await reachableByPush([userId])).length === 0) return { settled: 0, failed: [] };
  const targets = (await pushTargets([userId])).filter(({ device_id }) => deviceIds?.includes(device_id) ?? true);
  const outcomes = await Promise.all(targets.map((target) => sendTo(provider, target, content)));
  const thatAre = (outcome: Outcome) => targets.filter((_target, index) => outcomes[index] === outcome);
  await dropPushTokens(thatAre("unknown_device").map(({ push_token }) => push_token));
  const failed = thatAre("failed").map(({ device_id }) => device_id);
  return { settled: targets.length - failed.length, failed };
}

type Outcome = Awaited<ReturnType<PushProvider["send"]>> | "failed";

async function sendTo(provider: PushProvider, target: PushTarget, content: PushContent): Promise<Outcome> {
  let outcome: Outcome = "failed";
  try {
    outcome = await provider.send(target.push_token, content);
  } catch (error) {
    logger.warn({ err: error, device: target.device_id }, "push failed and will be retried");
  }
  metrics.devicePushes.inc({ outcome });
  return outcome;
}

import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { networkOf } from "#shared/kernel/network-of.ts";
import { consume, makeRateLimiter, type RateLimiter } from "#shared/kernel/rate-limiter.ts";

/**
 * Limits on messages. They keep mailboxes from being flooded, bills for text messages from running up, and
 * codes from being guessed by requesting one after the other. Requests are counted whether or not an account exists, by
 * the recipient's address for each kind of message, and by the network that they come from: one network uses up half of
 * what a recipient gets in an hour. What is sent is counted by the account, and for the whole service.
 */
export const messagesPerHour = { fromNetwork: 5, toRecipient: 10 } as const;
export const messagesPerDay = 20;
const perNetworkAndHour = { mail: 240, sms: 60 } as const;
const perAccountAndDay = 40;
const [hour, day] = [3600, 86_400];

export type Channel = "mail" | "sms";

/** A message that a caller requests. */
export interface MessageRequest {
  readonly about: "verify_email" | "verify_mobile" | "reset_password" | "log_in";
  readonly address: string;
  /** The caller's. */
  readonly ip: string;
}

const refusal = "Too many messages were requested for this address. Try again later.";

let limits: ReturnType<typeof makeLimits> | undefined = makeLimits();

/** Sets where messages are counted: in Redis for all processes, else in memory; for load tests, nowhere. */
export function configureMessageLimits(options: { enabled: boolean; redis?: Redis }): void {
  limits = options.enabled ? makeLimits(options.redis) : undefined;
}

function makeLimits(redis?: Redis) {
  const make = (name: string, points: number, duration: number): RateLimiter =>
    makeRateLimiter({ keyPrefix: `message:${name}`, points, duration }, redis);
  return {
    byRecipientAndNetwork: make("recipient-network", messagesPerHour.fromNetwork, hour),
    byRecipient: make("recipient", messagesPerHour.toRecipient, hour),
    byRecipientDaily: make("recipient-day", messagesPerDay, day),
    byNetwork: {
      mail: make("mail-network", perNetworkAndHour.mail, hour),
      sms: make("sms-network", perNetworkAndHour.sms, hour),
    },
    byAccount: make("account", perAccountAndDay, day),
    // Its points are a setting, which may change.
    ofService: make("service", Number.MAX_SAFE_INTEGER, day),
  };
}

export const channelOf = (about: MessageRequest["about"]): Channel =>
  about === "verify_mobile" || about === "log_in" ? "sms" : "mail";

/**
 * Counts a requested message.
 * @throws RATE_LIMITED with the seconds to wait
 */
export async function countRequest({ about, address, ip }: MessageRequest): Promise<void> {
  if (!limits) return;
  const network = networkOf(ip);
  const recipient = createHash("sha256").update(`${about} ${address}`).digest("base64url").slice(0, 22);
  // The network's own limits come first: a request that they reject doesn't count against the recipient.
  await consume(limits.byNetwork[channelOf(about)], network, "Too many messages were requested. Try again later.");
  await consume(limits.byRecipientAndNetwork, `${recipient}:${network}`, refusal);
  await consume(limits.byRecipient, recipient, refusal);
  await consume(limits.byRecipientDaily, recipient, refusal);
}

/** Counts a requested message, like `countRequest`. Returns whether it may be sent. */
export const mayRequest = (request: MessageRequest): Promise<boolean> =>
  countRequest(request).then(
    () => true,
    (error: unknown) => {
      if (error instanceof DomainError && error.code === "RATE_LIMITED") return false;
      throw error;
    },
  );

/**
 * Counts a message that is about to be sent. Returns whether the account, or the number without one, and the whole
 * service may send it today.
 */
export async function maySend(channel: Channel, userId: string): Promise<boolean> {
  if (!limits) return true;
  const most = setting(channel === "mail" ? "emails_per_day" : "texts_per_day");
  const ofAccount = await limits.byAccount.penalty(userId);
  const ofService = ofAccount.consumedPoints <= perAccountAndDay ? await limits.ofService.penalty(channel) : undefined;
  if (ofService && (most === 0 || ofService.consumedPoints <= most)) return true;

  metrics.messages.inc({ channel, outcome: "limited" });
  logger.warn({ channel, userId, of: ofService ? "service" : "account" }, "message not sent: the limit of the day");
  return false;
}

import type { Redis } from "ioredis";
import { configureJudge } from "#shared/domain/base/filter/judge/judge.config.ts";
import { configureMedia } from "#shared/domain/base/media/media.config.ts";
import { configureSettings } from "#shared/domain/base/settings/settings.ts";
import { configureWebhooks } from "#shared/domain/base/webhooks/post-webhook.ts";
import { configureFulfilment } from "#shared/domain/catalogue/orders/fulfilment/fulfil-order.ts";
import { configureAccounts } from "#shared/domain/identity/accounts/account-steps.ts";
import { configureLoginLimits } from "#shared/domain/identity/accounts/login-limits.ts";
import { configureMessageLimits } from "#shared/domain/identity/accounts/message-limits.ts";
import { configureResetLink } from "#shared/domain/identity/accounts/password-reset.ts";
import { configureKyc } from "#shared/domain/identity/kyc/kyc-provider.ts";
import { configureMail } from "#shared/domain/identity/mail/send.ts";
import { configurePush } from "#shared/domain/identity/push/push.config.ts";
import { configureCodeTries } from "#shared/domain/identity/second-factor/code-tries.ts";
import { configureAccessTokens } from "#shared/domain/identity/sessions/access-token.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { configureSignInLimits } from "#shared/domain/identity/sign-in/sign-in-limits.ts";
import { configureEvidence } from "#shared/domain/live/evidence/evidence.config.ts";
import { configureVoice } from "#shared/domain/live/voice/voice.config.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { configurePayouts } from "#shared/domain/money/payouts/payouts.config.ts";
import { configureGooglePlay } from "#shared/domain/money/stores/google/google.config.ts";
import { configureStores } from "#shared/domain/money/stores/stores.config.ts";
import { configureSinks } from "#shared/domain/operations/sinks/run-sinks.ts";

/** Sets where logins, codes, and messages are counted: in Redis for all processes, else in memory; or nowhere. */
function configureLimits(options: { readonly enabled: boolean; readonly redis?: Redis }): void {
  configureLoginLimits(options);
  configureCodeTries(options);
  configureSignInLimits(options);
  configureMessageLimits(options);
}

const parts = {
  accessTokens: configureAccessTokens,
  accounts: configureAccounts,
  eventSinks: configureSinks,
  evidence: configureEvidence,
  fulfilment: configureFulfilment,
  googlePlay: configureGooglePlay,
  judge: configureJudge,
  kyc: configureKyc,
  limits: configureLimits,
  mail: configureMail,
  media: configureMedia,
  openId: configureOpenId,
  payments: configurePayments,
  payouts: configurePayouts,
  push: configurePush,
  resetLink: configureResetLink,
  settings: configureSettings,
  stores: configureStores,
  voice: configureVoice,
  webhooks: configureWebhooks,
};

/** What the domain needs to run: each part by its name, also one that is off (undefined). */
export type DomainConfiguration = { readonly [Part in keyof typeof parts]: Parameters<(typeof parts)[Part]>[0] };

/**
 * Configures the whole domain: a part that is forgotten doesn't compile. Its secrets come first, by `configureSecrets`,
 * which commands need without the rest.
 */
export function configureDomain(configuration: DomainConfiguration): void {
  for (const [name, configure] of Object.entries(parts))
    (configure as (part: unknown) => void)(configuration[name as keyof DomainConfiguration]);
}

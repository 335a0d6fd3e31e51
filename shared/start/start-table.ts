import type { Config } from "./config.ts";
import { networkUrls } from "./http-server.ts";

interface Login {
  readonly username: string;
  readonly password: string;
}

interface Started {
  /** The URL of the service, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Where `METRICS_PORT` serves `/readyz` and `/metrics`. */
  readonly metricsUrl?: string;
  readonly demoLogins: readonly Login[];
  readonly demoAdmin?: Login;
  readonly demoKeys?: { readonly publicKey: string; readonly secretKey: string };
}

/** Returns the rows of the startup summary. */
function startRows(
  config: Config,
  { url, metricsUrl, demoLogins, demoAdmin, demoKeys }: Started,
): [label: string, text: string][] {
  const logins = demoLogins.map(({ username, password }) => `${username} / ${password}`).join("   ");
  return [
    ...(logins ? [["Demo", `${url}/demo`] satisfies [string, string]] : []),
    ["API", `${url}/api/v1`],
    ["Realtime", `${url} (Socket.IO on /socket.io, Colyseus clients on /)`],
    ["Docs", `${url}/docs`],
    ...networkRows(config, url, logins !== ""),
    ["Health", healthText(config, url, metricsUrl)],
    ...(logins ? [["Demo logins", logins] satisfies [string, string]] : []),
    ["Admin", `${url}/admin (${adminText(config, demoAdmin)})`],
    ["Studio", `${url}/studio (for hosts and agencies, with a user's login)`],
    ["Admin API", `${url}/api/v1/admin (documents: ${url}/docs/admin)`],
    ["Catalogue API", `${url}/catalogue (documents: ${url}/docs/catalogue)`],
    ...(demoKeys ? [["Demo keys", `${demoKeys.publicKey} / ${demoKeys.secretKey}`] satisfies [string, string]] : []),
    ["Database", config.databaseUrl ? "DATABASE_URL" : `embedded PostgreSQL 18 in ${config.dataDir}`],
    [
      "Voice",
      config.livekit
        ? config.livekit.url
        : "not configured: rooms have no audio (set LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET)",
    ],
    ["Payments", paymentsText(config, url)],
    ["Mail", config.mail.smtp ? `SMTP_URL, from ${config.mail.smtp.from}` : `${unsentText(config, url)} (SMTP_URL)`],
    ["SMS", config.mail.smsWebhook ? "SMS_WEBHOOK_URL" : `${unsentText(config, url)} (SMS_WEBHOOK_URL)`],
    [
      "Push",
      config.push
        ? `Firebase Cloud Messaging, project ${config.push.projectId}`
        : "not configured: no push notifications (set FCM_SERVICE_ACCOUNT)",
    ],
    ["Redis", config.redisUrl ? "REDIS_URL" : "not configured: single process (set REDIS_URL to run several)"],
    ...(config.rateLimits ? [] : [["Rate limits", "OFF: for load tests only"] satisfies [string, string]]),
  ];
}

/** Returns the row with the URLs for other machines, and a warning if they can use the demo logins. */
function networkRows({ host }: Config, url: string, hasDemoLogins: boolean): [label: string, text: string][] {
  const urls = networkUrls(host, url);
  if (urls.length === 0) return [];
  const warning = hasDemoLogins ? "  WARNING: the passwords of the demo logins are public" : "";
  return [["Network", `${urls.join("  ")}${warning}`]];
}

function adminText({ admin }: Config, demoAdmin: Login | undefined): string {
  if (admin) return `${admin.email} (ADMIN_EMAIL)`;
  if (demoAdmin) return `${demoAdmin.username} / ${demoAdmin.password}`;
  return "npm run create-admin -- --email you@example.com (works while the service is running)";
}

function healthText({ environment }: Config, url: string, metricsUrl?: string): string {
  if (environment === "production" && !metricsUrl) return `${url}/healthz (set METRICS_PORT for /readyz and /metrics)`;
  return `${url}/healthz  ${metricsUrl ?? url}/readyz  ${metricsUrl ?? url}/metrics`;
}

const unsentText = ({ environment }: Config, url: string): string =>
  environment === "production" ? "not configured: messages are discarded" : `not configured: see ${url}/dev/outbox`;

function paymentsText({ payments, publicUrl }: Config, url: string): string {
  if (payments.provider === "razorpay")
    return `Razorpay (webhook: ${publicUrl ?? url}/api/v1/payments/webhook/razorpay)`;
  if (payments.provider === "stripe") return `Stripe (webhook: ${publicUrl ?? url}/api/v1/payments/webhook/stripe)`;
  if (payments.provider === "sandbox")
    return "sandbox: no real money (set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or Razorpay's keys)";
  return "not configured: purchases are disabled (set PAYMENT_PROVIDER)";
}

/** Returns the summary that is printed on startup. */
export function startTable(config: Config, started: Started): string {
  const rows = startRows(config, started);
  const width = Math.max(...rows.map(([label]) => label.length));
  return [
    "",
    "  Hubbub is ready.",
    "",
    ...rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`),
    "",
    "",
  ].join("\n");
}

import type { Config } from "./config.ts";

interface Started {
  /** Where the service answers, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly demoLogins: readonly { readonly username: string; readonly password: string }[];
}

/** What whoever starts the service wants to know, one row each. */
function startRows(config: Config, { url, demoLogins }: Started): [label: string, text: string][] {
  const logins = demoLogins.map(({ username, password }) => `${username} / ${password}`).join("   ");
  return [
    ["API", `${url}/api/v1`],
    ["Realtime", `${url} (Socket.IO on /socket.io, Colyseus clients on /)`],
    ["Docs", `${url}/docs`],
    ["Health", `${url}/healthz  ${url}/readyz  ${url}/metrics`],
    ...(logins ? [["Demo logins", logins] satisfies [string, string]] : []),
    [
      "Admin",
      config.admin
        ? `${config.admin.email} (ADMIN_EMAIL)`
        : "npm run create-admin -- --email you@example.com (also while the service runs)",
    ],
    ["Database", config.databaseUrl ? "DATABASE_URL" : `embedded PostgreSQL 18 in ${config.dataDir}`],
    [
      "Voice",
      config.livekit
        ? config.livekit.url
        : "not configured: rooms work without sound, voice tokens are refused (LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET)",
    ],
    ["Payments", paymentsText(config, url)],
    ["Mail", config.mail.smtp ? `SMTP_URL, from ${config.mail.smtp.from}` : `${unsentText(config, url)} (SMTP_URL)`],
    ["SMS", config.mail.smsWebhook ? "SMS_WEBHOOK_URL" : `${unsentText(config, url)} (SMS_WEBHOOK_URL)`],
    [
      "Push",
      config.push
        ? `Firebase Cloud Messaging, project ${config.push.projectId}`
        : "not configured: nothing is pushed to people who are not connected (FCM_SERVICE_ACCOUNT)",
    ],
    ["Redis", config.redisUrl ? "REDIS_URL" : "not configured: this process is the whole service (REDIS_URL)"],
    ...(config.rateLimits ? [] : [["Rate limits", "OFF: for load tests only"] satisfies [string, string]]),
  ];
}

const unsentText = ({ environment }: Config, url: string): string =>
  environment === "production"
    ? "not configured: codes and links are dropped"
    : `not configured: kept at ${url}/dev/outbox`;

function paymentsText({ payments, publicUrl }: Config, url: string): string {
  if (payments.provider === "razorpay")
    return `Razorpay, its webhook at ${publicUrl ?? url}/api/v1/payments/webhook/razorpay`;
  if (payments.provider === "sandbox")
    return "sandbox: no money moves (RAZORPAY_KEY_ID, RAZORPAY_KEY_SECRET, RAZORPAY_WEBHOOK_SECRET)";
  return "not configured: nothing can be bought (PAYMENT_PROVIDER)";
}

/** The table that a start prints. */
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

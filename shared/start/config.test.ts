import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { FakeFcm } from "#shared/testing/fakes/fake-fcm.ts";
import { ConfigError, effectiveEnvironment, exampleEnvironment, loadConfig, misspelledVariables } from "./config.ts";
import { variableNames } from "./environment.ts";

function problemsOf(variables: Record<string, string>): Record<string, string> {
  try {
    loadConfig(variables);
  } catch (error) {
    if (error instanceof ConfigError) return Object.fromEntries(error.problems.map(({ name, text }) => [name, text]));
    throw error;
  }
  return {};
}

const voice = { LIVEKIT_URL: "wss://voice.example.com", LIVEKIT_API_KEY: "key", LIVEKIT_API_SECRET: "secret" };

const production = { NODE_ENV: "production", JWT_SECRET: "s".repeat(32), ENCRYPTION_KEY: "e".repeat(32) };
const razorpay = { RAZORPAY_KEY_ID: "rzp_test_1", RAZORPAY_KEY_SECRET: "key", RAZORPAY_WEBHOOK_SECRET: "hook" };
const stripe = { STRIPE_SECRET_KEY: "sk_live_1", STRIPE_WEBHOOK_SECRET: "whsec_1" };
const smtp = { SMTP_URL: "smtp://mail.example.com", MAIL_FROM: "no-reply@example.com" };

const administration = {
  AUDIT_SIGNING_KEY: `${"u".repeat(32)},${"v".repeat(32)}`,
  ADMIN_JWT_SECRET: "t".repeat(32),
  ADMIN_EMAIL: "Root@Example.com",
  ADMIN_PASSWORD: "twelve chars",
  ADMIN_CORS_ORIGINS: "https://admin.example",
};

const everyVariable = {
  ...voice,
  NODE_ENV: "production",
  DEMO_BOTS: "off",
  EVENT_SINKS: "file:///srv/events,clickhouse+http://writer:secret@10.0.0.1:8123/hubbub.events",
  HOST: "0.0.0.0",
  PORT: "0",
  PUBLIC_URL: "https://api.example.com",
  TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8,fd00::/8",
  METRICS_PORT: "9464",
  DRAIN_SECONDS: "20",
  ...razorpay,
  RAZORPAY_KEY_SECRET: "new, old",
  ...stripe,
  STRIPE_WEBHOOK_SECRET: "whsec_2,whsec_1",
  STRIPE_SUCCESS_URL: "https://app.example.com/paid",
  SANDBOX_KEY_SECRET: "sandbox key secret",
  DATA_DIR: "/var/lib/hubbub",
  DATABASE_URL: "postgres://a:b@db/hubbub",
  REDIS_URL: "redis://cache:6379",
  ROLES: "engine, api",
  JWT_SECRET: production.JWT_SECRET,
  ENCRYPTION_KEY: `${"n".repeat(32)}, ${"o".repeat(32)}`,
  ...administration,
  RATE_LIMITS: "off",
  CORS_ORIGINS: "https://a.example,http://localhost:5173",
  SMTP_URL: "smtps://hubbub:password@mail.example.com",
  MAIL_FROM: "Hubbub <no-reply@example.com>",
  RESET_PASSWORD_URL: "https://app.example.com/reset-password",
  SMS_WEBHOOK_URL: "https://sms.example.com/send",
  SMS_WEBHOOK_TOKEN: "sms-token",
  GOOGLE_CLIENT_IDS: "web.apps.googleusercontent.com,ios.apps.googleusercontent.com",
  OPENID_PROVIDERS: JSON.stringify([
    { name: "apple", issuer: "https://apple.example", client_ids: ["com.example.app"] },
    { name: "line", issuer: "https://access.line.me", client_ids: ["7"] },
  ]),
  APPLE_CLIENT_IDS: "com.example.other",
  MEDIA_URL: "https://s3.example.com/bucket/",
  MEDIA_ACCESS_KEY_ID: "key-of-bucket",
  MEDIA_SECRET_ACCESS_KEY: "secret-of-bucket",
  MEDIA_REGION: "eu-central-1",
  MEDIA_PUBLIC_URL: "https://media.example.com/",
  LOG_LEVEL: "warn",
};

const bucketMedia = {
  folder: "/var/lib/hubbub/media",
  s3: {
    url: "https://s3.example.com/bucket",
    accessKeyId: "key-of-bucket",
    secretAccessKey: "secret-of-bucket",
    region: "eu-central-1",
  },
  publicUrl: "https://media.example.com",
};

describe("config", () => {
  it("requires no variables", () => {
    const { dataDir, ...config } = loadConfig({ PATH: "/bin", PORT: "" });
    expect(config).to.deep.equal({
      environment: "development",
      demoBots: true,
      host: "127.0.0.1",
      port: 3000,
      trustedProxies: [],
      drainMs: 0,
      eventSinks: [],
      roles: ["api", "engine", "jobs"],
      rateLimits: true,
      corsOrigins: ["*"],
      adminCorsOrigins: [],
      payments: { provider: "sandbox", sandbox: {} },
      stores: {},
      mail: {},
      media: { folder: join(dataDir, "media") },
      openId: [],
      logLevel: "info",
    });
    expect(dataDir).to.match(/^\/.*\/\.data$/);
  });

  it("lets the demo people act by default only in a development service of one process", () => {
    const bots = (variables: Record<string, string>) => loadConfig(variables).demoBots;
    expect([bots({}), bots({ DEMO_BOTS: "off" }), bots({ REDIS_URL: "redis://cache:6379" })]).to.deep.equal([
      true,
      false,
      false,
    ]);
    expect([bots({ NODE_ENV: "test" }), bots({ NODE_ENV: "test", DEMO_BOTS: "on" }), bots(production)]).to.deep.equal([
      false,
      true,
      false,
    ]);
    expect(Object.keys(problemsOf({ ...production, DEMO_BOTS: "on" }))).to.deep.equal(["DEMO_BOTS"]);
  });

  it("reads where media are: in a folder, or in a bucket with its keys", () => {
    const keys = { MEDIA_ACCESS_KEY_ID: "key", MEDIA_SECRET_ACCESS_KEY: "secret" };
    const bucket = { MEDIA_URL: "https://s3.example.com/bucket" };
    expect(loadConfig({ MEDIA_URL: "file:///srv/media" }).media).to.deep.equal({ folder: "/srv/media" });
    expect(Object.keys(problemsOf(bucket))).to.deep.equal(Object.keys(keys));
    expect(Object.keys(problemsOf(keys))).to.deep.equal(Object.keys(keys));
    expect(Object.keys(problemsOf({ ...bucket, ...keys, MEDIA_URL: "http://s3.example.com/bucket" }))).to.include(
      "MEDIA_URL",
    );
    expect(loadConfig({ ...bucket, ...keys }).media.s3?.region).to.equal("us-east-1");
  });

  it("reads every variable", () => {
    const config = loadConfig(everyVariable);
    expect(config).to.deep.equal({
      environment: "production",
      eventSinks: ["file:///srv/events", "clickhouse+http://writer:secret@10.0.0.1:8123/hubbub.events"],
      ...{ demoBots: false, host: "0.0.0.0", port: 0 },
      trustedProxies: ["127.0.0.1", "10.0.0.0/8", "fd00::/8"],
      metricsPort: 9464,
      drainMs: 20_000,
      dataDir: "/var/lib/hubbub",
      databaseUrl: "postgres://a:b@db/hubbub",
      redisUrl: "redis://cache:6379",
      roles: ["engine", "api"],
      jwtSecret: production.JWT_SECRET,
      adminJwtSecret: "t".repeat(32),
      auditSigningKeys: ["u".repeat(32), "v".repeat(32)],
      encryptionKeys: ["n".repeat(32), "o".repeat(32)],
      admin: { email: "root@example.com", password: "twelve chars" },
      rateLimits: false,
      corsOrigins: ["https://a.example", "http://localhost:5173"],
      adminCorsOrigins: ["https://admin.example"],
      openId: [
        {
          name: "google",
          issuer: "https://accounts.google.com",
          clientIds: ["web.apps.googleusercontent.com", "ios.apps.googleusercontent.com"],
        },
        { name: "apple", issuer: "https://apple.example", clientIds: ["com.example.app"] },
        { name: "line", issuer: "https://access.line.me", clientIds: ["7"] },
      ],
      media: bucketMedia,
      livekit: { url: "wss://voice.example.com", apiKey: "key", apiSecret: "secret" },
      publicUrl: "https://api.example.com",
      payments: {
        provider: "razorpay",
        razorpay: {
          keyId: "rzp_test_1",
          keySecrets: ["new", "old"],
          webhookSecrets: ["hook"],
          baseUrl: "https://api.razorpay.com",
        },
        stripe: {
          secretKey: "sk_live_1",
          webhookSecrets: ["whsec_2", "whsec_1"],
          baseUrl: "https://api.stripe.com",
          successUrl: "https://app.example.com/paid",
        },
        sandbox: { keySecrets: ["sandbox key secret"] },
      },
      stores: {},
      mail: {
        smtp: { url: "smtps://hubbub:password@mail.example.com", from: "Hubbub <no-reply@example.com>" },
        smsWebhook: { url: "https://sms.example.com/send", token: "sms-token" },
        resetPasswordUrl: "https://app.example.com/reset-password",
      },
      logLevel: "warn",
    });
    expect(Object.isFrozen(config) && Object.isFrozen(config.roles) && Object.isFrozen(config.livekit)).to.equal(true);
  });

  it("reports all errors at once: name, value, expected value, example", () => {
    const problems = problemsOf({
      PORT: "70000",
      LOG_LEVEL: "loud",
      CORS_ORIGINS: "https://a.example/path",
      NODE_ENV: "prod",
    });
    expect(Object.keys(problems)).to.have.members(["PORT", "LOG_LEVEL", "CORS_ORIGINS", "NODE_ENV"]);
    expect(problems.PORT).to.equal(
      ["  PORT", "    value:    70000", "    expected: a whole number, 0 to 65535", "    example:  PORT=3000"].join(
        "\n",
      ),
    );
    expect(() => loadConfig({ PORT: "70000", LOG_LEVEL: "loud" })).to.throw(/70000[\s\S]*loud/);
  });

  const refused: [string, Record<string, string>, string[]][] = [
    ["a port that is no whole number", { PORT: "3.5" }, ["PORT"]],
    ["an unknown role", { ROLES: "api,games" }, ["ROLES"]],
    ["a part of the roles alone", { ROLES: "api" }, ["DATABASE_URL", "REDIS_URL"]],
    ["a database that is not PostgreSQL", { DATABASE_URL: "mysql://a@b/c" }, ["DATABASE_URL"]],
    ["production without secrets", { NODE_ENV: "production" }, ["JWT_SECRET", "ENCRYPTION_KEY"]],
    ["a short secret", { JWT_SECRET: "short" }, ["JWT_SECRET"]],
    ["an admin without a password", { ADMIN_EMAIL: "a@example.com" }, ["ADMIN_PASSWORD"]],
    ["voice with one of three", { LIVEKIT_API_KEY: "key" }, ["LIVEKIT_URL", "LIVEKIT_API_SECRET"]],
    ["voice with an empty one", { ...voice, LIVEKIT_URL: "" }, ["LIVEKIT_URL"]],
    ["a host with a path", { HOST: "http://localhost/" }, ["HOST"]],
    ["a public address with a path", { PUBLIC_URL: "https://api.example.com/v1" }, ["PUBLIC_URL"]],
    ["one of Razorpay's three", { RAZORPAY_KEY_ID: "key" }, ["RAZORPAY_KEY_SECRET", "RAZORPAY_WEBHOOK_SECRET"]],
    ["Razorpay without its three", { PAYMENT_PROVIDER: "razorpay" }, Object.keys(razorpay)],
    ["one of Stripe's two", { STRIPE_SECRET_KEY: "sk_live_1" }, ["STRIPE_WEBHOOK_SECRET"]],
    ["Stripe without its two", { PAYMENT_PROVIDER: "stripe" }, Object.keys(stripe)],
    ["Stripe over plain http", { STRIPE_BASE_URL: "http://api.stripe.com" }, ["STRIPE_BASE_URL"]],
    [
      "Stripe's test mode in production",
      { ...production, ...stripe, STRIPE_SECRET_KEY: "sk_test_1" },
      ["STRIPE_SECRET_KEY"],
    ],
    ["Razorpay over plain http", { RAZORPAY_BASE_URL: "http://api.razorpay.com" }, ["RAZORPAY_BASE_URL"]],
    [
      "Razorpay at a look-alike of this machine",
      { RAZORPAY_BASE_URL: "http://127.0.0.1.evil.example" },
      ["RAZORPAY_BASE_URL"],
    ],
    [
      "a short secret among those of the sandbox",
      { SANDBOX_KEY_SECRET: "sixteen characters,short" },
      ["SANDBOX_KEY_SECRET"],
    ],
    ["mail without a sender", { SMTP_URL: "smtp://mail.example.com" }, ["MAIL_FROM"]],
    ["mail from no address", { ...smtp, MAIL_FROM: "Hubbub <no-reply>" }, ["MAIL_FROM"]],
    ["mail from two addresses", { ...smtp, MAIL_FROM: "a@example.com, b@example.com" }, ["MAIL_FROM"]],
    ["mail by another protocol", { ...smtp, SMTP_URL: "https://mail.example.com" }, ["SMTP_URL"]],
    ["mail in production whose links would lead nowhere", { ...smtp, ...production }, ["RESET_PASSWORD_URL"]],
    ["reset tokens over plain http", { RESET_PASSWORD_URL: "http://app.example.com/" }, ["RESET_PASSWORD_URL"]],
    ["the sandbox in production", { ...production, PAYMENT_PROVIDER: "sandbox" }, ["PAYMENT_PROVIDER"]],
    ["a sink without a stream", { EVENT_SINKS: "nats://127.0.0.1:4222" }, ["EVENT_SINKS"]],
    ["a sink without a topic", { EVENT_SINKS: "kafka+tls://127.0.0.1:9092/" }, ["EVENT_SINKS"]],
    ["a sink of an unknown kind", { EVENT_SINKS: "file:///srv/events,amqp://127.0.0.1/events" }, ["EVENT_SINKS"]],
    ["a sink with more than a table", { EVENT_SINKS: "clickhouse+http://a/db.t?x=1" }, ["EVENT_SINKS"]],
    ["a proxy that is no address", { TRUSTED_PROXIES: "10.0.0.1,proxy.internal" }, ["TRUSTED_PROXIES"]],
    ["a network of too many bits", { TRUSTED_PROXIES: "10.0.0.0/33" }, ["TRUSTED_PROXIES"]],
    ["codes over plain http", { SMS_WEBHOOK_URL: "http://sms.example.com/" }, ["SMS_WEBHOOK_URL"]],
  ];
  for (const [what, variables, names] of refused)
    it(`rejects ${what}`, () => expect(Object.keys(problemsOf(variables))).to.have.members(names));

  it("uses Razorpay if its keys are set, else Stripe, and otherwise the sandbox, never in production", () => {
    const providerOf = (variables: Record<string, string>) => loadConfig(variables).payments.provider;
    expect(providerOf({})).to.equal("sandbox");
    expect(providerOf(razorpay)).to.equal("razorpay");
    expect(providerOf({ ...razorpay, PAYMENT_PROVIDER: "sandbox" })).to.equal("sandbox");
    expect(providerOf(production)).to.equal(undefined);
    expect(providerOf({ ...production, ...razorpay })).to.equal("razorpay");
    expect(providerOf({ ...production, ...stripe })).to.equal("stripe");
    expect(providerOf({ ...razorpay, ...stripe })).to.equal("razorpay");
    expect(providerOf({ ...razorpay, ...stripe, PAYMENT_PROVIDER: "stripe" })).to.equal("stripe");
    const { razorpay: at } = loadConfig({ ...razorpay, RAZORPAY_BASE_URL: "http://127.0.0.1:4000" }).payments;
    expect(at?.baseUrl).to.equal("http://127.0.0.1:4000");
  });

  it("names unknown variables that are meant for it, with the nearest known", () => {
    const warning = (name: string) => misspelledVariables({ [name]: "x" })[0]?.replace(/^.* is ignored\. /, "");

    expect(warning("JWT_SECERT")).to.equal("Did you mean JWT_SECRET?");
    expect(warning("RAZORPAY_KEYID")).to.equal("Did you mean RAZORPAY_KEY_ID?");
    expect(warning("LIVEKIT_SECRET")).to.equal("Known are: LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET.");
    expect(warning("OTEL_EXPORTER_OTLP_HEADER")).to.equal("Did you mean OTEL_EXPORTER_OTLP_HEADERS?");
    const ofExporter = [
      "OTEL_EXPORTER_OTLP_HEADERS",
      "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
      "OTEL_EXPORTER_OTLP_COMPRESSION",
    ];
    for (const other of [
      ...ofExporter,
      "PGPORT",
      "PATH",
      "LIVEKIT_SERVICE_HOST",
      "LIVEKIT_PORT_7880_TCP",
      ...variableNames,
    ])
      expect(warning(other), other).to.equal(undefined);
  });

  it("masks secrets in errors", () => {
    const planted = "hunter2";
    const text = JSON.stringify([
      problemsOf({ JWT_SECRET: planted, ADMIN_PASSWORD: planted, ADMIN_EMAIL: "a@example.com" }),
      problemsOf({ DATABASE_URL: `mysql://user:${planted}@db/x`, REDIS_URL: `http://:${planted}@cache` }),
      problemsOf({ DATABASE_URL: `postgres:user:${planted}@x@db` }),
      problemsOf({ DATABASE_URL: `mysql://db/x?user=a&password=${planted}` }),
    ]);
    expect(text).to.include("****").and.not.include(planted);
  });

  it("prints the current configuration without secrets", () => {
    const text = effectiveEnvironment({
      ...voice,
      PORT: "4000",
      DATABASE_URL: "postgres://user:hunter2@db:5432/hubbub",
      JWT_SECRET: "x".repeat(40),
    });
    for (const line of [
      "PORT=4000",
      "HOST=127.0.0.1  (default)",
      "REDIS_URL is not set",
      "DATABASE_URL=postgres://****@db:5432/hubbub",
      "JWT_SECRET=**** (40 characters)",
      "LIVEKIT_API_SECRET=**** (6 characters)",
    ])
      expect(text.split("\n")).to.include(line);
  });

  it("accepts the key of a service account as plain text and in base64", async () => {
    const fcm = await FakeFcm.start();
    await fcm.stop();
    const { timeoutMs, baseUrl, ...account } = fcm.config;
    const text = JSON.stringify(fcm.keyFile, null, 2);
    const expected = { ...account, baseUrl: "https://fcm.googleapis.com" };
    for (const value of [text, Buffer.from(text).toString("base64")])
      expect(loadConfig({ FCM_SERVICE_ACCOUNT: value }).push).to.deep.equal(expected);
    expect(loadConfig({ FCM_SERVICE_ACCOUNT: text, FCM_BASE_URL: baseUrl }).push?.baseUrl).to.equal(baseUrl);
    const publicKey = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n";
    for (const wrong of [
      "key.json",
      "{}",
      JSON.stringify({ ...fcm.keyFile, type: "authorized_user" }),
      JSON.stringify({ ...fcm.keyFile, private_key: publicKey }),
      JSON.stringify({ ...fcm.keyFile, project_id: "../other" }),
      JSON.stringify({ ...fcm.keyFile, token_uri: "http://oauth2.example.com/token" }),
    ]) {
      const problems = problemsOf({ FCM_SERVICE_ACCOUNT: wrong });
      expect(Object.keys(problems)).to.deep.equal(["FCM_SERVICE_ACCOUNT"]);
      expect(problems.FCM_SERVICE_ACCOUNT).to.include("value:    ****").and.not.include("BEGIN PRIVATE");
    }
    expect(problemsOf({ FCM_BASE_URL: "http://fcm.example.com" })).to.have.key("FCM_BASE_URL");
  });

  it("takes the service account for Google Play as its key or its key's file, and notices only with their sender", async () => {
    const fcm = await FakeFcm.start();
    await fcm.stop();
    const file = join(await mkdtemp(join(tmpdir(), "hubbub-key-")), "key.json");
    await writeFile(file, JSON.stringify(fcm.keyFile));
    const { timeoutMs, baseUrl, ...account } = fcm.config;
    const app = { GOOGLE_PLAY_PACKAGE: "com.example.hubbub", GOOGLE_SERVICE_ACCOUNT: file };
    const expected = {
      packageName: "com.example.hubbub",
      account,
      baseUrl: "https://androidpublisher.googleapis.com",
    };
    expect(loadConfig(app).payments.google).to.deep.equal(expected);
    const sender = { audience: "https://a.example/x", email: "a@b.iam.gserviceaccount.com" };
    const named = { GOOGLE_PUBSUB_AUDIENCE: sender.audience, GOOGLE_PUBSUB_SERVICE_ACCOUNT: sender.email };
    const text = JSON.stringify(fcm.keyFile);
    expect(loadConfig({ ...app, ...named, GOOGLE_SERVICE_ACCOUNT: text }).payments.google).to.deep.equal({
      ...expected,
      sender,
    });
    const refusedWith = (variables: Record<string, string>) => Object.keys(problemsOf(variables));
    expect(refusedWith({ ...app, GOOGLE_SERVICE_ACCOUNT: `${file}.old` })).to.deep.equal(["GOOGLE_SERVICE_ACCOUNT"]);
    expect(refusedWith({ ...app, GOOGLE_SERVICE_ACCOUNT: "" })).to.deep.equal(["GOOGLE_SERVICE_ACCOUNT"]);
    expect(refusedWith({ ...app, ...named, GOOGLE_PUBSUB_AUDIENCE: "" })).to.deep.equal(["GOOGLE_PUBSUB_AUDIENCE"]);
    expect(refusedWith({ ...app, GOOGLE_PLAY_PACKAGE: "../x" })).to.deep.equal(["GOOGLE_PLAY_PACKAGE"]);
    expect(refusedWith({ GOOGLE_PLAY_BASE_URL: "http://play.example.com" })).to.deep.equal(["GOOGLE_PLAY_BASE_URL"]);
  });

  it("matches .env.example", async () => {
    const committed = await readFile(new URL("../../.env.example", import.meta.url), "utf8");
    expect(committed, "update it: npm run -s config -- --example > .env.example").to.equal(exampleEnvironment());
  });

  it("accepts all examples of .env.example except the placeholders of secrets", () => {
    const entries = [...exampleEnvironment().matchAll(/^# ([A-Z_]+)=("?)(.*)\2$/gm)];
    expect(entries.map(([, name]) => name)).to.deep.equal(variableNames);
    const examples = Object.fromEntries(entries.map(([, name, , value]) => [name, value]));
    expect(Object.keys(problemsOf(examples))).to.have.members([
      "JWT_SECRET",
      "ADMIN_JWT_SECRET",
      "AUDIT_SIGNING_KEY",
      "ENCRYPTION_KEY",
      "ADMIN_PASSWORD",
      "GOOGLE_SERVICE_ACCOUNT",
      "FCM_SERVICE_ACCOUNT",
      "APPLE_PRIVATE_KEY",
      "APPLE_STORE_PRIVATE_KEY",
    ]);
  });
});

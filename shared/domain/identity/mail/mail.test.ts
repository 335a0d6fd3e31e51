import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { FakeSmtp } from "#shared/testing/fakes/fake-smtp.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { eraseMessages, listMessages, pruneMessages } from "./outbox.ts";
import { configureMail, sendMail, sendSms } from "./send.ts";
import { webhookCarrier } from "./sms-webhook.ts";
import { smtpCarrier } from "./smtp.ts";
import { mailNames, renderMail } from "./templates.ts";

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (error: Error) => `${error.message} ${String(error.cause ?? "")}`,
  );
const from = "Hubbub <no-reply@example.com>";
const code = { username: "ada", code: "314159", minutes: "10" };

describe("templates of mail", () => {
  const values = {
    username: "ada",
    code: "314159",
    minutes: "10",
    link: "https://a.example/?token=x&y=<z>",
    date: "2026-12-04",
    due: "17.98 USD",
    title: "New gift",
    body: "Bob sent you Rose.",
    ticket_subject: "I can't log in",
    message: "Please <try> again.",
    reason: "Spam & fraud",
    answer: "It was <fine>.",
  };

  for (const name of mailNames)
    it(`${name} fills every placeholder, alike in text and HTML`, () => {
      const mail = renderMail("en", name, { ...values, app_name: "Hubbub" });
      for (const part of Object.values(mail)) expect(part).not.to.match(/\{\{|\}\}|undefined/);
      expect(mail.subject).to.include("Hubbub").and.not.include("\n");
      const plain = mail.html.replace(/<[^>]+>/g, " ");
      for (const word of mail.text.match(/[a-z]{5,}/gi) ?? []) expect(plain, word).to.include(word);
    });

  it("escapes values in HTML and leaves them in text", () => {
    const { text, html } = renderMail("en", "reset-password", { ...values, app_name: `<b>"Hub" & 'bub'` });
    expect(text).to.include(values.link);
    expect(html).to.include("https://a.example/?token=x&amp;y=&lt;z&gt;").and.not.include("<z>");
    expect(html).to.include("&lt;b&gt;&quot;Hub&quot; &amp; &#39;bub&#39;").and.not.include("<b>");
  });
});

describe("sending mail", () => {
  useDatabase();
  let server: FakeSmtp;
  beforeEach(async () => {
    server = await FakeSmtp.start();
  });
  afterEach(async () => {
    configureMail({ keepsUnsent: true });
    await server.stop();
  });

  it("sends to the server of SMTP_URL: one recipient, text and HTML, from MAIL_FROM", async () => {
    configureMail({ smtp: { url: server.url, from }, keepsUnsent: true });
    const ada = await buildUser();
    await sendMail({ userId: ada.id, address: ada.email }, "verify-email", code);
    expect(server.mails.map(({ from, to }) => ({ from, to }))).to.deep.equal([
      { from: "no-reply@example.com", to: [ada.email] },
    ]);
    const { data } = server.mails[0]!;
    expect(data)
      .to.match(/^From: Hubbub <no-reply@example\.com>$/m)
      .and.match(/^Subject: Your Hubbub verification code$/m);
    expect(data)
      .to.match(/^Content-Type: text\/plain/m)
      .and.match(/^Content-Type: text\/html/m);
    expect(data)
      .to.match(/^Auto-Submitted: auto-generated$/m)
      .and.include("Your verification code is 314159");
    expect(await listMessages(ada.email)).to.deep.equal([]);
  });

  it("takes the app's name from the settings", async () => {
    configureMail({ smtp: { url: server.url, from }, keepsUnsent: true });
    await changeSettings(adminCaller(), { app_name: "Night <Owls>" });
    try {
      const ada = await buildUser();
      await sendMail({ userId: ada.id, address: ada.email }, "password-changed", {});
    } finally {
      await changeSettings(adminCaller(), { app_name: "Hubbub" });
    }
    expect(server.mails[0]?.data).to.match(/^Subject: Your Night <Owls> password was changed$/m);
  });

  it("reaches only the recipient, whatever an address looks like", async () => {
    const carrier = smtpCarrier({ url: server.url, from });
    const odd = '"a,b@evil.example"@example.com';
    await failureOf(carrier.send({ to: odd, subject: "s\r\nBcc: evil@example.com", text: "t", html: "h" }));
    carrier.close();
    for (const { to, data } of server.mails) {
      expect(to).to.deep.equal([odd]);
      expect(data).not.to.match(/^Bcc:/m);
    }
  });

  it("fails without revealing the address when the server rejects it, and when there is none", async () => {
    const carrier = smtpCarrier({ url: server.url, from });
    const mail = { to: "secret.person@example.com", subject: "s", text: "t", html: "h" };
    server.refuse(1);
    const refused = await failureOf(carrier.send(mail));
    expect(refused)
      .to.match(/EENVELOPE 451/)
      .and.not.include("secret.person");
    await carrier.send(mail);
    expect(server.mails).to.have.length(1);
    carrier.close();
    const away = smtpCarrier({ url: "smtp://127.0.0.1:1", from });
    expect(await failureOf(away.send(mail)))
      .to.match(/ESOCKET|ECONN/)
      .and.not.include("secret.person");
    away.close();
  });

  it("does not send unencrypted to another machine, unless the address allows it", async () => {
    const url = server.url.replace("127.0.0.1", "0.0.0.0");
    const mail = { to: "a@example.com", subject: "s", text: "t", html: "h" };
    const [strict, lax] = [smtpCarrier({ url, from }), smtpCarrier({ url: `${url}?requireTLS=false`, from })];
    expect(await failureOf(strict.send(mail))).to.include("ETLS");
    expect(server.mails).to.deep.equal([]);
    await lax.send(mail);
    expect(server.mails).to.have.length(1);
    strict.close();
    lax.close();
  });
});

describe("mail without a carrier", () => {
  useDatabase();
  const sent = async (outcome: string): Promise<number> => {
    const { values } = await metrics.messages.get();
    return values.find(({ labels }) => labels.outcome === outcome && labels.channel === "mail")?.value ?? 0;
  };
  afterEach(() => configureMail({ keepsUnsent: true }));

  it("is kept for developers, with an SMS beside it, newest first", async () => {
    configureMail({ keepsUnsent: true });
    const ada = await buildUser();
    await sendMail({ userId: ada.id, address: ada.email }, "verify-email", code);
    await sendMail({ userId: ada.id, address: ada.email }, "password-changed", {});
    await sendSms({ userId: ada.id, address: "+919876543210" }, "verify-mobile", code);
    const mails = await listMessages(ada.email);
    expect(mails.map(({ subject }) => subject)).to.deep.equal([
      "Your Hubbub password was changed",
      "Your Hubbub verification code",
    ]);
    expect(mails[1]).to.include({ channel: "mail", recipient: ada.email });
    expect(mails[1]?.html).to.include("314159");
    const [sms] = await listMessages("+919876543210");
    expect(sms).to.include({ channel: "sms", subject: null, html: null });
    expect(sms?.text).to.equal(
      "Hubbub: 314159 is the verification code of @ada. It expires in 10 minutes. Don't share it with anyone.",
    );
  });

  it("is dropped where it is not kept, and counted", async () => {
    configureMail({ keepsUnsent: false });
    const dropped = await sent("dropped");
    const ada = await buildUser();
    await sendMail({ userId: ada.id, address: ada.email }, "verify-email", code);
    expect(await listMessages(ada.email)).to.deep.equal([]);
    expect((await sent("dropped")) - dropped).to.equal(1);
  });

  it("is limited to the newest 500 of a day", async () => {
    configureMail({ keepsUnsent: true });
    const ada = await buildUser();
    await query(
      `INSERT INTO mail_outbox (id, user_id, channel, recipient, text_body)
       SELECT uuidv7(interval '-1 minute'), $1, 'mail', $2, 'old' FROM generate_series(1, 600)`,
      [ada.id, ada.email],
    );
    await sendMail({ userId: ada.id, address: ada.email }, "password-changed", {});
    expect(await query("SELECT 1 FROM mail_outbox")).to.have.length(500);
    expect((await listMessages(ada.email))[0]?.subject).to.include("password");
    await query("UPDATE mail_outbox SET created_at = now() - interval '25 hours' WHERE text_body = 'old'");
    while ((await pruneMessages(100)) > 0);
    expect(await listMessages(ada.email)).to.have.length(1);
    expect(await inTransaction((tx) => eraseMessages(tx, ada.id))).to.equal(1);
    expect(await inTransaction((tx) => eraseMessages(tx, ada.id))).to.equal(0);
  });
});

describe("sending text messages", () => {
  useDatabase();

  it("posts number and text as JSON, with the token; anything but 2xx fails without revealing the number", async () => {
    const calls: { head: unknown; body: unknown }[] = [];
    let status = 202;
    const server = createServer(async (req, res) => {
      let body = "";
      for await (const chunk of req) body += chunk;
      calls.push({ head: [req.method, req.url, req.headers.authorization], body: JSON.parse(body) });
      res.writeHead(status, { location: "http://127.0.0.1:1/" }).end("no such number: +919876543210");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/send`;
    try {
      const carrier = webhookCarrier({ url, token: "sms-token" });
      await carrier.send({ to: "+919876543210", text: "Hello" });
      expect(calls).to.deep.equal([
        { head: ["POST", "/send", "Bearer sms-token"], body: { to: "+919876543210", text: "Hello" } },
      ]);
      for (const refused of [302, 400, 500]) {
        status = refused;
        const said = await failureOf(carrier.send({ to: "+919876543210", text: "Hello" }));
        expect(said).not.to.equal("done").and.not.include("9876543210");
      }
    } finally {
      server.close();
    }
  });

  it("tells a provider's name for the price, and nothing else of what it says", async () => {
    const said = ['{"price_class":"tier-2"}', '{"price_class":7}', '{"price_class":"a b"}', "no JSON", "null", ""];
    const bodies = [...said, `{"price_class":"x","more":"${"x".repeat(5000)}"}`];
    const server = createServer((_req, res) => res.end(bodies.shift()));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const carrier = webhookCarrier({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
      const classes: (string | undefined)[] = [];
      while (bodies.length > 0) classes.push(await carrier.send({ to: "+919876543210", text: "Hello" }));
      expect(classes).to.deep.equal(["tier-2", ...Array(6).fill(undefined)]);
    } finally {
      server.close();
    }
  });

  it("rejects a provider over plain http, unless it is this machine", () => {
    for (const url of ["http://sms.example/send", "http://127.0.0.1.evil.example/", "ftp://sms.example/"])
      expect(() => webhookCarrier({ url }), url).to.throw("https");
    for (const url of ["https://sms.example/send", "http://localhost:4000/"])
      expect(() => webhookCarrier({ url }), url).not.to.throw();
  });
});

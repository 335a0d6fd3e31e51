import { createTransport } from "nodemailer";
import type { MailCarrier, MailToSend } from "./carriers.ts";

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;

/** Milliseconds that the server may take to be reached, to greet, and to answer; together below the job's own limit. */
const timeouts = { connectionTimeout: 8000, dnsTimeout: 5000, greetingTimeout: 8000, socketTimeout: 15_000 };

/** Keeps the automatic answers of others (RFC 3834) from coming back. */
const headers = { "Auto-Submitted": "auto-generated" };

/**
 * Carries mail to an SMTP server, such as `smtps://user:password@host`, over at most two connections that are kept for a
 * while. What leaves this machine is encrypted: a server on another one that offers no TLS is refused, unless its address
 * ends with `?requireTLS=false`.
 */
export function smtpCarrier({ url, from }: { readonly url: string; readonly from: string }): MailCarrier {
  const { protocol, hostname, searchParams } = new URL(url);
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 2,
    idleTimeout: 30_000,
    requireTLS: protocol === "smtp:" && !loopback.test(hostname) && searchParams.get("requireTLS") !== "false",
    // Nothing that a mail holds makes this process read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...timeouts,
  });
  return {
    send: async ({ to, subject, text, html }: MailToSend) => {
      try {
        await transport.sendMail({ from, to: { name: "", address: to }, subject, text, html, headers });
      } catch (error) {
        throw withoutAddress(error);
      }
    },
    close: () => transport.close({ force: true }),
  };
}

/** What a server says repeats whom the mail was for, and this goes to the log and to the table of jobs. */
function withoutAddress(error: unknown): Error {
  const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string };
  const said = [code, responseCode, command && `at ${command}`].filter(Boolean).join(" ");
  return new Error(`the mail server did not take a mail: ${said || "unknown error"}`);
}

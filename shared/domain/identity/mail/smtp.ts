import { createTransport } from "nodemailer";
import type { MailCarrier, MailToSend } from "./carriers.ts";

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;

/** Timeouts of connecting, greeting and each response, milliseconds; together below the job's own timeout. */
const timeouts = { connectionTimeout: 8000, dnsTimeout: 5000, greetingTimeout: 8000, socketTimeout: 15_000 };

/** Suppresses automatic replies (RFC 3834). */
const headers = { "Auto-Submitted": "auto-generated" };

/**
 * Returns a carrier that sends mail to an SMTP server, such as `smtps://user:password@host`, over at most two pooled
 * connections. Mail leaves this machine encrypted: another machine's server without TLS is rejected, unless its address
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
    // Nothing in a mail may make this process read a file or an address.
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
    check: async () => {
      try {
        await transport.verify();
      } catch (error) {
        throw new Error(`the mail server doesn't accept a login: ${reasonOf(error)}`);
      }
    },
    close: () => transport.close({ force: true }),
  };
}

/** Removes the recipient from a server's error, because it goes to the log and the table of jobs. */
const withoutAddress = (error: unknown): Error => new Error(`the mail server rejected a mail: ${reasonOf(error)}`);

function reasonOf(error: unknown): string {
  const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string };
  return [code, responseCode, command && `at ${command}`].filter(Boolean).join(" ") || "unknown error";
}

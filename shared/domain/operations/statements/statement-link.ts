import { timingSafeEqual } from "node:crypto";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { clock } from "#shared/kernel/clock.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";
import type { StatementAccount } from "./statement-accounts.ts";

const lifeSeconds = 3600;

/** What a link names. */
interface Linked {
  readonly kind: string;
  readonly id: string;
  readonly period: string;
  /** When it ends, in seconds since 1970. */
  readonly until: string;
}

/** The path of a page; without values, as Express matches it. */
export const statementPath = (
  { kind, id, period, until }: Linked = { kind: ":kind", id: ":id", period: ":period", until: ":until" },
  signature = ":signature",
): string => `/statements/${kind}/${id}/${period}/${until}/${signature}`;

const signatureOf = ({ kind, id, period, until }: Linked): Buffer =>
  keyedHash("link of statement", kind, id, period, until);

/** Returns the links of a statement: a page, and files. They work without a login, for an hour. */
export function statementLinks({ kind, id }: Pick<StatementAccount, "kind" | "id">, period: string) {
  const linked = { kind, id, period, until: String(Math.floor(clock.now() / 1000) + lifeSeconds) };
  const page_url = publicAddress() + statementPath(linked, signatureOf(linked).toString("base64url"));
  const file = (format: string) => `${page_url}?format=${format}`;
  return { page_url, csv_url: file("csv"), json_url: file("json"), pdf_url: file("pdf") };
}

/** Returns whether a link is one of ours, and still works. */
export function isStatementLink(linked: Linked, signature: string): boolean {
  const [given, expected] = [Buffer.from(signature, "base64url"), signatureOf(linked)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  return Number(linked.until) * 1000 > clock.now();
}

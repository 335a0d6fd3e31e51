// Verifies an export of the audit log (npm run audit:export) or of the ledger (npm run ledger:export), without the code of
// the service: node docs/verify-export.mjs <export> [--key <public key>] [--heads <signed heads>] [--earlier <earlier export>]
//
// Each line is {"entry": "<JSON text>", "hash": "<hex>"}. The hash is the SHA-256 of the hash of the line before it (nothing
// before the first) and the text, both in UTF-8. The last line is {"head": {seq, hash, signed_at, signature, public_key}}: the
// number of entries and the last hash, signed with Ed25519 as the text "<seq> <hash> <signed_at>". If what comes before is in an
// archive (npm run audit:archive), the first line is {"after": …} with the signed head of its end, as its last line has it. Pass the key that you
// know from elsewhere: the one in the file proves nothing about who signed it. Pass the heads that were signed since (a copy
// of audit-heads.ndjson or ledger-heads.ndjson, or the lines of the log that have them): an export whose end was rewritten
// doesn't match them. After the key was replaced, pass each with a --key of its own.
import { createHash, createPublicKey, verify } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { key: { type: "string", multiple: true }, heads: { type: "string" }, earlier: { type: "string" } },
});
const [file] = positionals;
const usage = "<export> [--key <public key>] [--heads <signed heads>] [--earlier <earlier export>]";
if (!file) fail(`Usage: node docs/verify-export.mjs ${usage}`);

function fail(message) {
  console.error(message);
  process.exit(1);
}

async function* linesOf(path) {
  for await (const line of createInterface({ input: createReadStream(path) })) if (line) yield JSON.parse(line);
}

/** The signed heads that were kept, by the number of entries. */
const kept = new Map();
if (values.heads)
  for await (const line of linesOf(values.heads)) {
    const keptHead = line.audit_head ?? line.ledger_head ?? line;
    kept.set(keptHead.seq, keptHead);
  }

let [hash, count, head] = ["", 0, undefined];
const seen = new Set();
const wallets = new Map();

for await (const line of linesOf(file)) {
  if (head) fail("There are entries after the signed head.");
  if (line.head) {
    head = line.head;
    continue;
  }
  if (line.after) {
    if (count > 0) fail("What is in an archive comes before the first entry.");
    if (!isKnown(line.after) || !isSigned(line.after)) fail("The head of what is in an archive has another signature.");
    [hash, count] = [line.after.hash, line.after.seq];
    checkKept(kept.get(count));
    continue;
  }
  count += 1;
  hash = createHash("sha256").update(hash).update(line.entry).digest("hex");
  const entry = JSON.parse(line.entry);
  if (line.hash !== hash)
    fail(`Entry ${count} (${entry.id}) was altered, moved, or put in, or the one before it was removed.`);
  if (entry.seq !== undefined && entry.seq !== count)
    fail(`Entry ${count} (${entry.id}) says that it is entry ${entry.seq}.`);
  checkKept(kept.get(count));
  if (values.earlier) seen.add(line.entry);
  if (entry.entries) checkTransaction(entry);
}

if (!head) fail("The signed head is missing: the export is not complete.");
if (head.seq !== count || head.hash !== hash)
  fail(`The signed head is that of ${head.seq} entries, but there are ${count}.`);
if (!isKnown(head)) fail("The head was signed with another key.");
if (!isSigned(head)) fail("The signature of the head is invalid.");
const newest = Math.max(0, ...kept.keys());
if (newest > count) fail(`Entry ${count + 1} was removed, with all that followed, up to ${newest}.`);

checkWallets();
if (values.earlier)
  for await (const line of linesOf(values.earlier))
    if (line.entry && !seen.has(line.entry))
      fail(`An entry of the earlier export is missing or altered: ${line.entry}`);
console.log(
  `Verified: ${count} entries, signed at ${head.signed_at}${values.key ? "" : ` with the key ${head.public_key}`}.`,
);

function isSigned({ seq, hash, signed_at, signature, public_key }) {
  const key = createPublicKey({ key: Buffer.from(public_key, "base64"), format: "der", type: "spki" });
  return verify(null, Buffer.from(`${seq} ${hash} ${signed_at}`), key, Buffer.from(signature, "base64"));
}

function isKnown({ public_key }) {
  return !values.key || values.key.includes(public_key);
}

/** The entries up to a head that was kept are those that it signed. */
function checkKept(keptHead) {
  if (!keptHead) return;
  const { seq, signed_at } = keptHead;
  if (!isSigned(keptHead) || !isKnown(keptHead))
    fail(`The head of entry ${seq}, signed at ${signed_at}, has another signature.`);
  if (keptHead.hash !== hash)
    fail(`Entry ${seq}, or one before it, was rewritten: its hash isn't the one signed at ${signed_at}.`);
}

/** What an entry moves: coins, earnings, or money of a currency. */
function assetOf({ asset, currency }) {
  return asset ?? currency ?? "coins";
}

/** The entries of a ledger transaction add up to zero in each asset, as do the bought ones of its coins. */
function checkTransaction({ id, entries }) {
  if (entries.length < 2) fail(`Ledger transaction ${id} has fewer than two entries.`);
  const totals = new Map();
  const add = (what, amount = 0) => totals.set(what, (totals.get(what) ?? 0) + amount);
  for (const entry of entries) {
    add(assetOf(entry), entry.amount);
    add("bought coins", entry.bought);
    if (entry.user_id) {
      const wallet = `${assetOf(entry)} of user ${entry.user_id}`;
      if (!wallets.has(wallet)) wallets.set(wallet, []);
      wallets.get(wallet).push(entry);
    }
  }
  for (const [what, total] of totals)
    if (total !== 0) fail(`The entries of ledger transaction ${id} add up to ${total} ${what}.`);
}

/** Each wallet and balance of money is numbered from 1, and each of its entries starts from the balance that the one before it left. */
function checkWallets() {
  for (const [wallet, entries] of wallets) {
    let balance = 0;
    entries.sort((one, other) => one.entry_no - other.entry_no);
    for (const [index, { id, amount, balance_after, entry_no }] of entries.entries()) {
      balance += amount;
      if (entry_no !== index + 1 || balance_after !== balance) fail(`Entry ${id} doesn't continue the ${wallet}.`);
    }
  }
}

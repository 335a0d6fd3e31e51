// Verifies a statement of a host, an agency, or a coin seller (such as GET /earnings/statements/:period, or its "data"), without
// the code of the service:
//   node docs/verify-statement.mjs <statement.json> --key <public key> [--heads <signed roots>]
//
// Each line has its ledger entry as it is hashed. Its leaf is the SHA-256 of a byte 0, the salt, and the entry in UTF-8; with
// each node of its path, left or right, it makes the SHA-256 of a byte 1, the left, and the right one, up to the root of the
// ledger's tree. The operator signs each root with Ed25519 as the text "<seq> <hash> <signed_at>", and publishes it. Pass the key
// that you know from elsewhere, and the roots that you have kept (of GET /earnings/statements/heads, or ledger-tree-heads.ndjson),
// one JSON a line: a ledger that was rewritten since doesn't match them.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { key: { type: "string", multiple: true }, heads: { type: "string" } },
});

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (!positionals[0] || !values.key)
  fail("Usage: node docs/verify-statement.mjs <statement.json> --key <public key> [--heads <signed roots>]");
const read = JSON.parse(readFileSync(positionals[0], "utf8"));
const statement = read.data ?? read;
const { period, user_id, agency_id, asset, from, to, lines, head } = statement;

function isSigned(text, { signature, public_key }) {
  if (!values.key.includes(public_key)) return false;
  const key = createPublicKey({ key: Buffer.from(public_key, "base64"), format: "der", type: "spki" });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"));
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

function checkHead() {
  if (!isSigned(`${head.seq} ${head.hash} ${head.signed_at}`, head)) fail("The root isn't signed with this key.");
  if (!values.heads) return;
  const kept = readFileSync(values.heads, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const same = kept.map((one) => one.ledger_tree_head ?? one).find((one) => one.seq === head.seq);
  if (same?.hash !== head.hash) fail("The root isn't among those that were published.");
}

/** The root that a line leads to. */
function rootOf({ entry, salt, path }) {
  return path.reduce(
    (node, step) => {
      const [side, hash] = step.split(":");
      const other = Buffer.from(hash, "hex");
      return side === "left" ? sha256(Buffer.of(1), other, node) : sha256(Buffer.of(1), node, other);
    },
    sha256(Buffer.of(0), Buffer.from(salt, "hex"), entry),
  );
}

/** The line says what its entry says. */
function checkLine(line, entry) {
  const said = {
    id: line.id,
    type: line.type,
    amount: line.direction === "credit" ? line.amount : -line.amount,
    balance_after: line.balance_after,
    entry_no: line.entry_no,
    reference_type: line.reference.type,
    reference_id: line.reference.id,
    user_id,
    asset,
  };
  for (const [name, value] of Object.entries(said))
    if (entry[name] !== value) fail(`Line ${line.entry_no} says another ${name} than its entry.`);
  if (Date.parse(`${entry.created_at.slice(0, 23)}Z`) !== Date.parse(line.created_at))
    fail(`Line ${line.entry_no} says another time than its entry.`);
}

if (head) checkHead();
else if (lines.length > 0) fail("The lines have no signed root.");

const { opening_entry_no, opening_balance, closing_balance, pending, signed_at } = statement;
let [balance, entryNo, credits, debits] = [opening_balance ?? 0, opening_entry_no ?? 0, 0, 0];
for (const line of lines) {
  if (line.entry === null) fail("The lines come without proofs. The agency's owner gets them.");
  if (rootOf(line).toString("hex") !== head.hash) fail(`Line ${line.entry_no} isn't in the ledger.`);
  const entry = JSON.parse(line.entry);
  checkLine(line, entry);
  balance += entry.amount;
  if (entry.amount > 0) credits += entry.amount;
  else debits -= entry.amount;
  // An agency has only some of the entries of its owner's account, and no balance.
  const follows = agency_id
    ? entry.entry_no > entryNo
    : balance === entry.balance_after && entry.entry_no === entryNo + 1;
  if (!follows) fail(`Line ${line.entry_no} doesn't follow the one before it.`);
  entryNo = entry.entry_no;
}
const known = [
  statement.credits,
  statement.debits,
  closing_balance,
  opening_balance === null,
  opening_entry_no === null,
];
if (known.join() !== [credits, debits, agency_id ? null : balance, agency_id !== null, agency_id !== null].join())
  fail("The lines don't add up to the closing balance.");

const bounds = agency_id
  ? [agency_id, lines.map(({ entry_no }) => entry_no).join(",")]
  : [opening_entry_no, opening_balance, entryNo, balance];
const signed = [period, user_id, asset, from, to, ...bounds, pending, head?.hash ?? "-", signed_at];
if (!isSigned(signed.join(" "), statement))
  fail("The statement isn't signed as it is: it was changed, or lines were left out or put in.");
if (pending > 0) console.log(`${pending} entries are newer than the root, and not in the statement.`);
const shown = (amount) => (asset === "XCS" ? `${amount / 10_000} coins` : `${amount} ${asset}`);
const sum = agency_id
  ? `${shown(credits)} earned, ${shown(debits)} taken`
  : `from ${shown(opening_balance).split(" ")[0]} to ${shown(balance)}`;
console.log(`Verified: ${lines.length} lines of ${period}, ${sum}.`);

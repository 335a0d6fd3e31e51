import Joi from "joi";
import { exampleIds, exampleTime } from "../examples.ts";
import { count, type Infer, id, integer, listOf, nullable, object, oneOf, time } from "../fields.ts";
import { earningsTypes } from "./earnings-views.ts";

/** Views of statements of earnings, and of what they are checked against. */

const hex = (example: string) => Joi.string().example(example);

export const treeHead = object({
  seq: count(4096).description("How many ledger transactions the tree has."),
  hash: hex("6e0f…").description("The root of the tree, hexadecimal."),
  signed_at: time("2026-12-01T00:00:00.000Z"),
  signature: Joi.string().example("q0Zb…").description("Ed25519, base64, of `<seq> <hash> <signed_at>`."),
  public_key: Joi.string().example("MCow…").description("SPKI in base64. Compare it with the one that you know."),
}).meta({ name: "LedgerTreeHead" });

/** What moves earnings, and the stock of coin sellers. */
const statementTypes = [...earningsTypes, "deposit", "seller_transfer", "refund", "admin_adjustment"] as const;

const statementLine = object({
  id: id(exampleIds.ledgerEntry),
  entry_no: integer(1, Number.MAX_SAFE_INTEGER, 7).description(
    "The number of the entry in the balance, from 1, without gaps.",
  ),
  type: oneOf(...statementTypes),
  direction: oneOf("credit", "debit"),
  amount: count(9),
  balance_after: nullable(count(1200)).description("Null for the staff of an agency: it is its owner's."),
  reference: object({ type: Joi.string().example("gift_transaction"), id: id(exampleIds.giftTransaction) }).description(
    "What caused the entry, such as the gift, the order, or the transfer.",
  ),
  created_at: time(exampleTime(exampleIds.ledgerEntry)),
  entry: nullable(Joi.string())
    .example('{"id": "…"}')
    .description("The entry as it is hashed: JSON. The other fields say the same. Null for the staff of an agency."),
  salt: nullable(hex("a1b2…")).description("Hexadecimal; hashed before `entry`."),
  path: listOf(Joi.string().example("left:9f86…"))
    .example(["left:9f86…", "right:60b7…"])
    .description(
      "The nodes from the entry's leaf to the root, each with the side it is on: hashes, which say nothing of others.",
    ),
});

const period = () => Joi.string().example("2026-11").description("A month, a day, or an hour, in UTC.");
const link = (format: string) => Joi.string().uri().example(`https://api.example.com/statements/x5Jq2sV0${format}`);
const links = {
  page_url: link("").description("A page to print. It works for an hour, as all links."),
  csv_url: link("?format=csv"),
  json_url: link("?format=json"),
  pdf_url: link("?format=pdf").description("In the language of the reader, with times in UTC."),
};

export const statement = object({
  period: period(),
  user_id: id(exampleIds.ada).description("Whose account it is; of an agency, its owner's."),
  agency_id: nullable(id(exampleIds.agency))
    .example(null)
    .description("Only entries that this agency brought its owner; null: all of the account."),
  asset: oneOf("earnings", "XCS").description("`XCS`: the stock of a coin seller, in 1/10,000 of a coin."),
  from: time("2026-11-01T00:00:00.000Z"),
  to: time("2026-12-01T00:00:00.000Z").description("Exclusive."),
  opening_entry_no: nullable(count(6)).description(
    "The number of the last entry before the period; 0 if there was none. Null for an agency, as are the balances.",
  ),
  opening_balance: nullable(count(1191)),
  closing_balance: nullable(count(1200)),
  credits: count(9),
  debits: count(0),
  lines: listOf(statementLine),
  pending: count(0).description(
    "Entries of the period that no signed root covers yet: at most those of the last hour or so.",
  ),
  head: nullable(treeHead).description("The signed root that all lines lead to; null before the first one."),
  signed_at: time("2026-12-01T00:10:00.000Z"),
  signature: Joi.string()
    .example("Zk3v…")
    .description(
      "Ed25519, base64, of `<period> <user_id> <asset> <from> <to> <opening_entry_no> <opening_balance> <the last entry_no> <closing_balance> <pending> <hash of the head, or -> <signed_at>`; of an agency with `<agency_id> <the entry_no of all lines, with commas>` instead of the entry numbers and balances.",
    ),
  public_key: Joi.string().example("MCow…"),
  ...links,
}).meta({ name: "EarningsStatement" });
export type Statement = Infer<typeof statement>;

export const statementMonth = object({ period: period(), ...links }).meta({ name: "StatementMonth" });
export type StatementMonth = Infer<typeof statementMonth>;

import { flag, integer, oneOf } from "#shared/contracts/fields.ts";
import { setting } from "./define-setting.ts";

/** How resellers become customers of the catalogue, and how they pay. */
export const catalogueSettings = {
  catalogue_adjustment_approval_above: setting(
    integer(0, 1_000_000_000, 10_000),
    10_000,
    "The amount of money, in units of each currency, above which a second administrator must approve what one administrator adjusts in resellers' balances in 24 hours.",
  ),
  catalogue_payment: setting(
    oneOf("postpaid", "prepaid"),
    "postpaid",
    "How orders of the catalogue are paid. `postpaid`: the order is due later if the reseller's credit limit allows it, and paid like a `prepaid` one otherwise. `prepaid`: it is paid from the reseller's balance in its currency when it is placed.",
  ),
  catalogue_auto_approval: setting(
    flag(false),
    false,
    "Whether applicants become customers of the catalogue without an administrator. On by default in development only.",
  ),
  catalogue_auto_credit: setting(
    integer(0, 1_000_000, 0),
    0,
    "The credit limit of customers who are approved automatically, in units of each currency in use; 0 for none. 100 by default in development.",
  ),
  catalogue_low_stock: setting(
    integer(0, 10_000, 10),
    10,
    "A service of a card with fewer codes in stock is shown as low to administrators.",
  ),
} as const;

import { count, type Infer, listOf, object, oneOf } from "./fields.ts";

/** What administrators see of the orders of the catalogue, and of the stock of codes. Never a code. */

export const codeImport = object({
  accepted: count(2),
  duplicate: count(1),
  malformed: count(0),
  lines: listOf(
    object({
      line: count(1),
      outcome: oneOf("accepted", "duplicate", "malformed").description(
        "`duplicate`: the code is already in the file, in the stock of a card, or sold.",
      ),
    }).meta({ name: "ImportedLine" }),
  ),
}).meta({ name: "CodeImport" });
export type CodeImport = Infer<typeof codeImport>;

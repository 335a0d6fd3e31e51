import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, object, oneOf, text, withDefault } from "#shared/contracts/fields.ts";
import { reportTargets } from "#shared/contracts/views.ts";

const why = {
  reason: line(1, 100, "Harassment"),
  details: withDefault(text(0, 2000, "Insults everyone who takes a seat."), ""),
};

export const createReportBody = object({
  target_type: oneOf(...reportTargets),
  target_id: id(exampleIds.grace),
  ...why,
}).meta({ name: "CreateReportBody" });

export const userParams = object({ id: id(exampleIds.grace) });

export const reportUserBody = object(why).meta({ name: "ReportUserBody" });

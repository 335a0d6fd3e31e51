import { object } from "#shared/contracts/fields.ts";
import { appealText } from "#shared/contracts/views.ts";

export const appealBody = object({ text: appealText() }).meta({ name: "AppealBody" });

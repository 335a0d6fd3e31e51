import Joi from "joi";
import { idMax } from "#shared/contracts/catalogue-fields.ts";
import { object } from "#shared/contracts/fields.ts";

/** An ID of the catalogue in a path or a query, where it is text. */
export const numberId = () => Joi.number().integer().min(1).max(idMax).example(1);

export const idParams = object({ id: numberId() });

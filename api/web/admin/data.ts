import type { Operations } from "../../../shared/client/admin.ts";
import type { Data, InputOf } from "../../../shared/client/rest.ts";
import { admin, type OperationId } from "./client.ts";
import { dataOf } from "./reads.ts";

export { fieldErrors, onSecondFactorRequired, queries } from "./reads.ts";

export type DataOf<Op extends OperationId> = Data<Operations, Op>;
export type Input<Op extends OperationId> = InputOf<Operations, Op>;

export const { call, useRead, useWrite } = dataOf<Operations>(admin.request);

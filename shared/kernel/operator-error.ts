/**
 * An error that the operator of the service must fix. The message says what is wrong and what to do; no stack is shown.
 */
export class OperatorError extends Error {
  override name = "OperatorError";
}

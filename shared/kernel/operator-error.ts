/** What whoever runs the service must mend: its message says what is wrong and what to do, so no stack is shown. */
export class OperatorError extends Error {
  override name = "OperatorError";
}

import { type ErrorCode, errorCodes } from "#shared/kernel/error-codes.ts";
import { failureSchema } from "./failure-schema.ts";

const requestId = "0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a";

/** What several operations of the document refer to. */
export function sharedComponents(): Record<string, Record<string, object>> {
  return {
    schemas: {
      Failure: failureSchema({
        request_id: { type: "string", description: "With a 5xx: the value of `X-Request-Id`." },
      }),
    },
    examples: Object.fromEntries(
      (Object.keys(errorCodes) as ErrorCode[]).map((code) => [
        code,
        { summary: errorCodes[code].meaning, value: { success: false, error: failureExample(code) } },
      ]),
    ),
    headers: {
      RequestId: {
        description: "Names this call in the server's log. One that the client sends is kept.",
        schema: { type: "string" },
        example: requestId,
      },
      RetryAfter: {
        description: "Seconds after which another try makes sense.",
        schema: { type: "integer" },
        example: 7,
      },
    },
    parameters: {
      IdempotencyKey: {
        name: "Idempotency-Key",
        in: "header",
        required: false,
        description:
          "Chosen by the client, new for each thing it wants done. The same key with the same request repeats the first " +
          "answer and does nothing again; with another request it is refused. Kept for 24 hours.",
        schema: { type: "string", minLength: 1, maxLength: 255 },
        example: "order-8841-try-1",
      },
    },
  };
}

function failureExample(code: ErrorCode): object {
  const { status, meaning } = errorCodes[code];
  if (code === "VALIDATION_ERROR") {
    const message = "quantity must be greater than or equal to 1";
    return { code, message, details: [{ field: "quantity", message }] };
  }
  return { code, message: meaning, ...(status >= 500 && { request_id: requestId }) };
}

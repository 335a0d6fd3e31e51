import { type ErrorCode, errorCodes } from "#shared/kernel/error-codes.ts";
import { failureSchema } from "./failure-schema.ts";

const requestId = "0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a";

/** What several operations of the document refer to. */
export function sharedComponents(): Record<string, Record<string, object>> {
  return {
    schemas: {
      Failure: failureSchema({
        request_id: { type: "string", description: "For 5xx errors: the value of the `X-Request-Id` header." },
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
        description: "Identifies the request in the server's log. If the client sends this header, its value is used.",
        schema: { type: "string" },
        example: requestId,
      },
      RetryAfter: {
        description: "Seconds to wait before retrying.",
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
          "A unique key chosen by the client, which makes retries safe. A repeated request with the same key returns the " +
          "first response and has no further effect. A different request with the same key fails. Keys expire after 24 hours.",
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

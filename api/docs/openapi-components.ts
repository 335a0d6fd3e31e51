export const requestIdExample = "3f0c9a7e-51d2-4b8e-9c66-8d2f7a1b0e54";

/** Headers of the responses of every operation, and of those after which a client should wait. */
export const headerRefs = {
  always: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
  toRetry: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
} as const;

/** What several operations of the document refer to. */
export const sharedComponents = {
  headers: {
    RequestId: {
      description: "Identifies the request in the server's log. If the client sends this header, its value is used.",
      schema: { type: "string" },
      example: requestIdExample,
    },
    RetryAfter: {
      description: "Seconds to wait before retrying.",
      schema: { type: "integer" },
      example: 7,
    },
  },
} as const;

/** Parameters of several operations. */
export const sharedParameters = {
  AcceptLanguage: {
    name: "Accept-Language",
    in: "header",
    required: false,
    description:
      "The language of messages and other texts, unless the user has chosen one (`language` in `PATCH /users/me`): en, " +
      "hi, ar, es, pt, or id. `Content-Language` in the response says which it is. `error.code` never changes.",
    schema: { type: "string", default: "en" },
    example: "hi, en;q=0.5",
  },
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
} as const;

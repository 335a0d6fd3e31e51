import { errorCodes } from "#shared/kernel/error-codes.ts";
import type { JsonSchema } from "./json-schema.ts";

/**
 * The envelope of what was refused, over REST and in acknowledgements alike.
 * @param more what only one of the two tells of a refusal
 */
export const failureSchema = (more: Record<string, JsonSchema> = {}): JsonSchema => ({
  type: "object",
  properties: {
    success: { const: false },
    error: {
      type: "object",
      properties: {
        code: { type: "string", enum: Object.keys(errorCodes) },
        message: { type: "string", description: "For humans. Handle errors by `code`." },
        details: {
          type: "array",
          description: "For `VALIDATION_ERROR`: one entry for each invalid field.",
          items: {
            type: "object",
            properties: { field: { type: "string" }, message: { type: "string" } },
            required: ["field", "message"],
          },
        },
        ...more,
      },
      required: ["code", "message"],
    },
  },
  required: ["success", "error"],
});

import { STATUS_CODES } from "node:http";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type ErrorCode, errorCodes } from "#shared/kernel/error-codes.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import type { Envelope } from "../http/api.ts";
import type { RouteEntry } from "../http/route.ts";
import { type NamedSchemas, toJsonSchema } from "./json-schema.ts";
import { headerRefs, requestIdExample } from "./openapi-components.ts";
import { errorCodesOf } from "./operation-errors.ts";

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** More codes than these make no readable name. */
const codesInName = 3;

/**
 * The failures of the operations of an API, by status. Operations that fail with the same codes share a response:
 * `NotFound`, `UnauthenticatedOrTokenExpired`. One with many codes of its own is named after the operation,
 * `RequestSeatConflict`.
 */
export class Failures {
  readonly responses: Record<string, object> = {};
  readonly examples: Record<string, object> = {};
  readonly #envelope: Envelope;
  readonly #schemas: NamedSchemas;

  constructor(envelope: Envelope, schemas: NamedSchemas) {
    this.#envelope = envelope;
    this.#schemas = schemas;
  }

  /** Returns a reference for each status that the route can fail with. `operation`: its name, `RequestSeat`. */
  of(route: RouteEntry, operation: string): Record<string, object> {
    const order = Object.keys(errorCodes);
    const codes = errorCodesOf(route).toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
    const byStatus = Map.groupBy(codes, (code) => this.#example(code).status);
    return Object.fromEntries(
      [...byStatus].map(([status, members]) => [status, this.#response(operation, status, members)]),
    );
  }

  #response(operation: string, status: number, codes: readonly ErrorCode[]): object {
    const name =
      codes.length > codesInName
        ? operation + (STATUS_CODES[status] ?? String(status)).replace(/\W/g, "")
        : codes.map((code) => pascalCase(code.toLowerCase())).join("Or");
    this.responses[name] ??= this.#newResponse(name, status, codes);
    return ref("responses", name);
  }

  #newResponse(name: string, status: number, codes: readonly ErrorCode[]): object {
    for (const code of codes) {
      const { body } = this.#example(code);
      this.examples[code] ??= { summary: errorCodes[code].meaning, value: body };
    }
    const schema = this.#envelope.failureSchema(codes).meta({ name: `${name}Failure` });
    return {
      description: codes.map((code) => `[${code}](/docs/errors#${code}): ${errorCodes[code].meaning}`).join("\n\n"),
      headers: { ...headerRefs.always, ...((status === 429 || status === 503) && headerRefs.toRetry) },
      content: {
        "application/json": {
          schema: toJsonSchema(schema, "output", this.#schemas),
          examples: Object.fromEntries(codes.map((code) => [code, ref("examples", code)])),
        },
      },
    };
  }

  #example(code: ErrorCode): { readonly status: number; readonly body: unknown } {
    const message = "quantity must be greater than or equal to 1";
    const error =
      code === "VALIDATION_ERROR"
        ? new DomainError(code, message, { details: [{ field: "quantity", message }] })
        : new DomainError(code);
    return this.#envelope.failure(error, requestIdExample);
  }
}

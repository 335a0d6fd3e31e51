import Joi from "joi";
import { formDecimal, idMax } from "#shared/contracts/catalogue-fields.ts";
import { line } from "#shared/contracts/fields.ts";
import type { FieldError } from "#shared/kernel/domain-error.ts";
import { type Form, invalidForm, isNotAccepted, isRequired, labelOf } from "./form.ts";

export const formId = Joi.number().integer().min(1).max(idMax).required();
const key = line(1, 255).required();

/** Reads the fields of a form one by one, so that its error names each that is missing or invalid, in this order. */
export class FormReader {
  readonly #form: Form;
  readonly #errors: FieldError[] = [];
  readonly #names = new Set<string>();

  constructor(form: Form) {
    this.#form = form;
  }

  /** Returns a field; undefined if it is missing or invalid. */
  read<T>(name: string, schema: Joi.Schema<T>, label = labelOf(name)): T | undefined {
    this.#names.add(name);
    const { error, value } = schema.validate(Object.hasOwn(this.#form, name) ? this.#form[name] : undefined);
    if (!error) return value;
    this.refuse(name, label);
    return undefined;
  }

  /** Returns the field `expected_price`: the total that the caller has seen; undefined without one. */
  readExpectedPrice(): string | undefined {
    return Object.hasOwn(this.#form, "expected_price")
      ? this.read("expected_price", formDecimal().required())
      : undefined;
  }

  /** Says that a field is invalid. */
  refuse(name: string, label = labelOf(name)): void {
    this.#errors.push({ field: name, message: isRequired(label) });
  }

  /** Reads the field `idempotency_key` if the form has one, and checks that all was valid. @throws VALIDATION_ERROR */
  end(): void {
    if (Object.hasOwn(this.#form, "idempotency_key")) this.read("idempotency_key", key);
    for (const name of Object.keys(this.#form))
      if (!this.#names.has(name)) this.#errors.push({ field: name, message: isNotAccepted(name.slice(0, 100)) });
    if (this.#errors.length > 0) throw invalidForm(this.#errors);
  }
}

import { setting } from "#shared/domain/settings/settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** Throws for a category or language that the settings don't list. @throws VALIDATION_ERROR */
export function assertListed(input: { category?: string; language?: string }): void {
  const listed = { category: setting("room_categories"), language: setting("languages") };
  const details = (["category", "language"] as const)
    .filter((field) => input[field] !== undefined && !listed[field].includes(input[field]))
    .map((field) => ({ field, message: `${field} must be one of ${listed[field].join(", ")}` }));
  if (details.length === 0) return;

  const message = details.map((detail) => detail.message).join("; ");
  throw new DomainError("VALIDATION_ERROR", message, { details });
}

import { setting } from "#shared/domain/base/settings/settings.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";

/** Throws for a category or language that the settings don't list. @throws VALIDATION_ERROR */
export function assertListed(input: { category?: string; language?: string }): void {
  const listed = { category: setting("room_categories"), language: setting("languages") };
  const unlisted = (["category", "language"] as const)
    .filter((field) => input[field] !== undefined && !listed[field].includes(input[field]))
    .map((field) => ({
      field,
      text: "{{field}} must be one of {{allowed}}",
      values: { allowed: listed[field].join(", ") },
    }));
  if (unlisted.length > 0) throw invalidFields(unlisted);
}

import { defaulted, defineModel, nullable, text, time } from "#shared/db/model.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

/** Something that the service announces for a limited time. */
export const CampaignModel = defineModel("campaigns", {
  ...managedColumns,
  title: text(),
  description: defaulted(text()),
  image_url: nullable(text()),
  link: nullable(text()),
  starts_at: time(),
  ends_at: time(),
});

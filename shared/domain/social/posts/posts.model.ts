import type { PostMedia, PostVisibility } from "#shared/contracts/views.ts";
import { bigint, defaulted, defineModel, json, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** For writing posts. The queries read them with their own statements, as their viewer may see them. */
export const PostModel = defineModel("posts", {
  id: key(uuid()),
  author_id: uuid(),
  content: defaulted(text()),
  media: defaulted(json<PostMedia[]>()),
  visibility: defaulted(text<PostVisibility>()),
  status: defaulted(text<"visible" | "hidden" | "removed">()),
  comments_count: defaulted(bigint()),
  created_at: defaulted(time()),
  deleted_at: nullable(time()),
});

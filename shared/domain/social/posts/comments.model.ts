import { defaulted, defineModel, key, text, time, uuid } from "#shared/db/model.ts";

/** For writing comments. The queries read them with their own statements. */
export const CommentModel = defineModel("post_comments", {
  id: key(uuid()),
  post_id: uuid(),
  author_id: uuid(),
  content: text(),
  created_at: defaulted(time()),
});

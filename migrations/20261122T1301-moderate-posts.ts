type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What an administrator did about a comment. It is not shown, so "deleted_at" is set as well.
    ALTER TABLE post_comments
      ADD COLUMN moderation text CHECK (moderation IN ('hidden', 'removed')),
      ADD COLUMN status_reason text,
      ADD CONSTRAINT post_comments_moderated CHECK (moderation IS NULL OR deleted_at IS NOT NULL);

    -- Administrators list posts by status and author, and search them by words.
    CREATE INDEX posts_status_idx ON posts (status, id DESC);
    CREATE INDEX posts_authored_idx ON posts (author_id, id DESC);
    CREATE INDEX posts_words_idx ON posts USING gin (to_tsvector('simple', content));
    CREATE INDEX post_comments_words_idx ON post_comments USING gin (to_tsvector('simple', content));
    CREATE INDEX post_comments_authored_idx ON post_comments (author_id, id DESC);
    DROP INDEX post_comments_author_idx;
    CREATE INDEX post_comments_moderated_idx ON post_comments (moderation, id DESC) WHERE moderation IS NOT NULL;
    CREATE INDEX post_comments_all_idx ON post_comments (post_id, id DESC);

    -- How many open reports there are about one thing.
    CREATE INDEX reports_target_idx ON reports (target_type, target_id, id DESC);
  `);
}

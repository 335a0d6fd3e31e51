type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- "hidden" and "removed" are an administrator's doing; "deleted_at" is the author's, and final.
    CREATE TABLE posts (
      id uuid PRIMARY KEY,
      author_id uuid NOT NULL REFERENCES users (id),
      content text NOT NULL DEFAULT '',
      media jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(media) = 'array'),
      visibility text NOT NULL DEFAULT 'public' CHECK (visibility IN ('public', 'followers')),
      status text NOT NULL DEFAULT 'visible' CHECK (status IN ('visible', 'hidden', 'removed')),
      status_reason text,
      likes_count bigint NOT NULL DEFAULT 0 CHECK (likes_count >= 0),
      comments_count bigint NOT NULL DEFAULT 0 CHECK (comments_count >= 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      deleted_at timestamptz,
      CONSTRAINT posts_deleted_removed CHECK (deleted_at IS NULL OR status = 'removed')
    );
    -- The feed walks the first for everybody's posts and the second for those of one author after the other.
    CREATE INDEX posts_public_idx ON posts (id DESC) INCLUDE (author_id)
      WHERE status = 'visible' AND visibility = 'public';
    CREATE INDEX posts_author_idx ON posts (author_id, visibility, id DESC) WHERE status = 'visible';

    CREATE TABLE post_likes (
      post_id uuid NOT NULL REFERENCES posts (id),
      user_id uuid NOT NULL REFERENCES users (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (post_id, user_id)
    );
    CREATE INDEX post_likes_user_idx ON post_likes (user_id);

    CREATE TABLE post_comments (
      id uuid PRIMARY KEY,
      post_id uuid NOT NULL REFERENCES posts (id),
      author_id uuid NOT NULL REFERENCES users (id),
      content text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      deleted_at timestamptz
    );
    CREATE INDEX post_comments_post_idx ON post_comments (post_id, id DESC) WHERE deleted_at IS NULL;
    CREATE INDEX post_comments_author_idx ON post_comments (author_id);
  `);
}

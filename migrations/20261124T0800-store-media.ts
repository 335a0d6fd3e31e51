type Run = (sql: string) => Promise<void>;

/** Columns that show media: by their addresses, which contain `media/<id>/`. */
const showing: Readonly<Record<string, readonly string[]>> = {
  users: ["avatar_url", "cover_url"],
  rooms: ["cover_url"],
  posts: ["media"],
  support_tickets: ["media"],
  gifts: ["image_url", "animation_url"],
  frames: ["image_url"],
  vip_plans: ["badge_url"],
  campaigns: ["image_url"],
  catalogue_card_services: ["image_url"],
  catalogue_cards: ["image_url", "preview_url"],
  catalogue_gateways: ["image_url"],
  catalogue_services: ["image_url"],
  catalogue_top_ups: ["image_url", "preview_url"],
};

const why = "It refuses nothing: it counts what shows media.";
/** What the release before this migration may go on beside. */
export const compatible = Object.fromEntries(
  Object.keys(showing).map((table) => [`${table}.${table}_show_media`, why]),
);

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE media (
      id uuid PRIMARY KEY,
      -- Null: an administrator's.
      user_id uuid REFERENCES users ON DELETE CASCADE,
      purpose text NOT NULL,
      state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'processing', 'ready', 'rejected', 'deleted')),
      -- Why it was rejected, in English.
      reason text,
      -- What the client says that it sends.
      content_type text NOT NULL,
      bytes integer NOT NULL CHECK (bytes > 0),
      sha256 text CHECK (sha256 ~ '^[0-9a-f]{64}$'),
      name text,
      waveform jsonb,
      -- What it is, once it is ready: what messages and posts keep of it.
      card jsonb,
      attempts smallint NOT NULL DEFAULT 0,
      -- How many records show it.
      uses integer NOT NULL DEFAULT 0,
      -- Since when none does: it is erased a day later.
      unused_since timestamptz DEFAULT now(),
      created_at timestamptz NOT NULL DEFAULT now(),
      -- When its processing began.
      begun_at timestamptz,
      -- Which version of a rule has refused it.
      rule_id uuid,
      rule_version integer
    );
    CREATE INDEX media_user_idx ON media (user_id, created_at);
    CREATE INDEX media_unused_idx ON media (unused_since) WHERE uses = 0;
    CREATE INDEX media_processing_idx ON media (begun_at) WHERE state = 'processing';

    -- Counts how many records show each medium. Its arguments are the columns that contain addresses of media.
    CREATE FUNCTION count_media_uses() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      shown text := '';
      hidden text := '';
      name text;
    BEGIN
      FOREACH name IN ARRAY TG_ARGV LOOP
        IF TG_OP <> 'INSERT' THEN hidden := concat(hidden, ' ', to_jsonb(OLD) ->> name); END IF;
        IF TG_OP <> 'DELETE' THEN shown := concat(shown, ' ', to_jsonb(NEW) ->> name); END IF;
      END LOOP;
      IF shown = hidden THEN RETURN NULL; END IF;
      UPDATE media SET uses = uses + changed.by,
        unused_since = CASE WHEN uses + changed.by > 0 THEN NULL ELSE now() END
      FROM (
        SELECT id, sum(by)::integer AS by FROM (
          SELECT DISTINCT address[1]::uuid AS id, 1 AS by
          FROM regexp_matches(shown, 'media/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/', 'g') AS address
          UNION ALL
          SELECT DISTINCT address[1]::uuid, -1
          FROM regexp_matches(hidden, 'media/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/', 'g') AS address
        ) AS each GROUP BY id HAVING sum(by) <> 0
      ) AS changed
      WHERE media.id = changed.id;
      RETURN NULL;
    END $$;

    ALTER TABLE rooms ADD COLUMN cover_url text;
    ALTER TABLE support_tickets ADD COLUMN media jsonb;
  `);
  for (const [table, columns] of Object.entries(showing)) {
    const given = columns.map((name) => `'${name}'`).join(", ");
    await run(`CREATE TRIGGER ${table}_show_media AFTER INSERT OR DELETE OR UPDATE OF ${columns.join(", ")} ON ${table}
      FOR EACH ROW EXECUTE FUNCTION count_media_uses(${given})`);
  }
}

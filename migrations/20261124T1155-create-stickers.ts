type Run = (sql: string) => Promise<void>;

/** What the release before this migration may go on beside: it knows none of these tables. */
export const compatible = {
  "sticker_packs.sticker_packs_show_media": "It refuses nothing: it counts what shows media.",
  "stickers.stickers_show_media": "It refuses nothing: it counts what shows media.",
};

const managed = `
  position integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz`;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE sticker_packs (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      image_url text NOT NULL,
      ${managed}
    );
    CREATE TABLE stickers (
      id uuid PRIMARY KEY,
      pack_id uuid NOT NULL REFERENCES sticker_packs,
      name text NOT NULL,
      image_url text NOT NULL,
      ${managed},
      UNIQUE (pack_id, name)
    );
  `);
  for (const table of ["sticker_packs", "stickers"])
    await run(`CREATE TRIGGER ${table}_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url ON ${table}
      FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url')`);
}

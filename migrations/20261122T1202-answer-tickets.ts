type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Who last changed a setting; null for the command line.
    ALTER TABLE settings ADD COLUMN updated_by uuid;

    -- The answers of support. The first message of a conversation is that of the ticket.
    CREATE TABLE ticket_answers (
      id uuid PRIMARY KEY,
      ticket_id uuid NOT NULL REFERENCES support_tickets (id),
      admin_id uuid NOT NULL REFERENCES admins (id),
      message text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX ticket_answers_ticket_idx ON ticket_answers (ticket_id, id);
    ALTER TABLE support_tickets ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
    CREATE INDEX support_tickets_age_idx ON support_tickets (created_at, id);

    -- A ticket can be answered that belongs to no account.
    ALTER TABLE mail_outbox ALTER COLUMN user_id DROP NOT NULL;

    -- Null: what support or the app itself tells.
    ALTER TABLE notifications ALTER COLUMN actor_id DROP NOT NULL;
  `);
}

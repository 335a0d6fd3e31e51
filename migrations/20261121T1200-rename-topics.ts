type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // Domain events that wait to be delivered take the names of the client events that show them.
  await run(`
    UPDATE outbox SET topic = CASE topic
      WHEN 'message.sent' THEN 'dm.new'
      WHEN 'conversation.read' THEN 'dm.read'
      WHEN 'notification.created' THEN 'notification.new'
      WHEN 'lobby.changed' THEN 'lobby.updated'
    END
    WHERE topic IN ('message.sent', 'conversation.read', 'notification.created', 'lobby.changed')
  `);
}

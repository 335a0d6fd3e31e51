/** A file of an export: an array of what this query returns for a user. */
export interface ExportPart {
  /** The name of the file, without `.json`. */
  readonly name: string;
  readonly sql: string;
}

const part = (name: string, sql: string): ExportPart => ({ name, sql });

/**
 * What an export contains: whatever the service stores of a user, or they of others, and may tell them. It leaves out
 * secrets and their hashes, who reported the user, notes of administrators, and what other people wrote where the
 * user can't read it. A feature that stores more of users adds a part; `export-parts.test.ts` finds what is missing.
 */
export const exportParts: readonly ExportPart[] = [
  part(
    "account",
    `SELECT id, username, full_name, email, email_verified_at, mobile, mobile_verified_at, date_of_birth, bio, country,
       language, avatar_url, cover_url, settings, status, suspended_at, suspended_until, suspended_reason, is_guest,
       guest_ended_at, totp_confirmed_at AS second_factor_since, last_seen_at, created_at, deletion_due_at
     FROM users WHERE id = $1`,
  ),
  part(
    "identities",
    "SELECT provider, subject, email, email_verified, linked_at, last_used_at FROM identities WHERE user_id = $1 ORDER BY linked_at",
  ),
  part(
    "media",
    `SELECT id, purpose, state, reason, content_type, bytes, sha256, name, waveform, card, created_at FROM media
     WHERE user_id = $1 AND state <> 'deleted' ORDER BY id`,
  ),
  part(
    "message-edits",
    `SELECT message_id, body, edited_at FROM message_edits WHERE user_id = $1 ORDER BY message_id, edited_at`,
  ),
  part("reactions", `SELECT message_id, emoji FROM message_reactions WHERE user_id = $1 ORDER BY message_id, emoji`),
  part("pins", `SELECT place_id, message_id, pinned_at FROM message_pins WHERE pinned_by = $1 ORDER BY pinned_at`),
  part("age-signal", `SELECT source, lower, upper, method, consent, received_at FROM age_signals WHERE user_id = $1`),
  part(
    "sessions",
    `SELECT id, way, user_agent, ip, created_at, last_used_at, expires_at, revoked_at, revoked_reason FROM sessions
     WHERE user_id = $1 ORDER BY id`,
  ),
  part(
    "devices",
    `SELECT platform, device_uid, push_token, created_at, updated_at FROM user_devices WHERE user_id = $1 ORDER BY id`,
  ),
  part(
    "api-keys",
    `SELECT name, public_key, allowed_addresses, last_used_at, last_used_ip, created_at FROM api_keys
     WHERE user_id = $1 ORDER BY id`,
  ),
  part("webhooks", `SELECT url, created_at, failing_since, disabled_at FROM webhook_endpoints WHERE user_id = $1`),
  part(
    "following",
    `SELECT followed_id AS user_id, created_at FROM user_follows WHERE follower_id = $1 ORDER BY created_at`,
  ),
  part(
    "followers",
    `SELECT follower_id AS user_id, created_at FROM user_follows WHERE followed_id = $1 ORDER BY created_at`,
  ),
  part("friends", `SELECT friend_id AS user_id, created_at FROM friendships WHERE user_id = $1 ORDER BY created_at`),
  part(
    "friend-requests",
    `SELECT id, sender_id, recipient_id, status, created_at, answered_at FROM friend_requests
     WHERE sender_id = $1 OR (recipient_id = $1 AND status <> 'pending') ORDER BY id`,
  ),
  part("blocks", `SELECT blocked_id AS user_id, created_at FROM user_blocks WHERE blocker_id = $1 ORDER BY created_at`),
  part(
    "rooms",
    `SELECT id, name, category, language, description, cover_url, announcement, welcome, is_private, seat_count, status,
       close_reason, created_at, closed_at
     FROM rooms WHERE host_id = $1 ORDER BY id`,
  ),
  part(
    "rules-of-own-rooms",
    "SELECT u.room_id, u.rules, u.changed_at FROM rooms r JOIN room_rules u ON u.room_id = r.id WHERE r.host_id = $1",
  ),
  part("moderated-rooms", `SELECT room_id, created_at FROM room_moderators WHERE user_id = $1 ORDER BY created_at`),
  part(
    "bans-in-own-rooms",
    `SELECT b.room_id, b.user_id, b.banned_by, b.banned_until, b.reason, b.created_at
     FROM rooms r JOIN room_bans b ON b.room_id = r.id WHERE r.host_id = $1 ORDER BY b.created_at`,
  ),
  part("bans", `SELECT room_id, banned_until, created_at FROM room_bans WHERE user_id = $1 ORDER BY created_at`),
  part(
    "room-messages",
    `SELECT id, room_id, kind, body, client_id, created_at, deleted_at FROM room_messages
     WHERE user_id = $1 AND body <> '' ORDER BY id`,
  ),
  part(
    "conversations",
    `SELECT m.conversation_id AS id, m.peer_id, m.unread, m.active_at, m.role, m.muted, m.joined_at, m.left_at,
       CASE WHEN m.left_at IS NULL THEN c.name END AS name
     FROM conversation_members m JOIN conversations c ON c.id = m.conversation_id WHERE m.user_id = $1
     ORDER BY m.conversation_id`,
  ),
  part(
    "group-invites",
    `SELECT id, conversation_id, created_at, expires_at FROM conversation_invites WHERE created_by = $1 ORDER BY id`,
  ),
  part(
    "direct-messages",
    `SELECT d.id, d.conversation_id, d.sender_id, d.body, d.attachment_url,
       CASE WHEN d.sender_id = $1 THEN d.client_id END AS client_id, d.created_at, d.read_at
     FROM conversation_members m JOIN direct_messages d USING (conversation_id)
     WHERE m.user_id = $1 AND (m.peer_id IS NOT NULL OR d.sender_id = $1)
     ORDER BY d.conversation_id, d.id`,
  ),
  part(
    "posts",
    `SELECT id, content, media, visibility, status, status_reason, likes_count, comments_count, created_at, deleted_at
     FROM posts WHERE author_id = $1 ORDER BY id`,
  ),
  part(
    "comments",
    `SELECT id, post_id, content, moderation, status_reason, created_at, deleted_at FROM post_comments
     WHERE author_id = $1 ORDER BY id`,
  ),
  part("likes", `SELECT post_id, created_at FROM post_likes WHERE user_id = $1 ORDER BY created_at`),
  part(
    "gifts",
    `SELECT t.id, t.gift_id, g.name AS gift, t.room_id, t.sender_id, t.recipient_id, t.quantity, t.unit_price,
       t.total_coins, t.recipient_coins, t.bought_coins, t.created_at
     FROM gift_transactions t JOIN gifts g ON g.id = t.gift_id WHERE t.sender_id = $1 OR t.recipient_id = $1
     ORDER BY t.id`,
  ),
  part(
    "gift-shares",
    `SELECT gift_transaction_id, taker, asset, amount, bought FROM gift_shares WHERE user_id = $1
     ORDER BY gift_transaction_id, taker, asset`,
  ),
  part(
    "earnings-exchanges",
    `SELECT id, earnings, coins, rate, created_at FROM earnings_exchanges WHERE user_id = $1 ORDER BY id`,
  ),
  part(
    "identity-checks",
    `SELECT id, provider, reference, status, level, expires_at, decided_at, created_at FROM kyc_cases WHERE user_id = $1
     ORDER BY id`,
  ),
  part(
    "refunded-gifts",
    `SELECT asset, amount, debt, returned, cancelled FROM refund_shares WHERE user_id = $1 ORDER BY refund_id, asset`,
  ),
  part(
    "gift-debt-payments",
    `SELECT id, asset, amount, exchange_id, created_at FROM share_debt_payments WHERE user_id = $1 ORDER BY id`,
  ),
  part(
    "agencies",
    `SELECT id, name, country, time_zone, period, status, created_at FROM agencies WHERE owner_id = $1
       OR id IN (SELECT agency_id FROM agency_staff WHERE user_id = $1) ORDER BY id`,
  ),
  part(
    "agency-invitations",
    `SELECT id, agency_id, user_id, commission_basis_points, term_months, status, created_at, expires_at, answered_at
     FROM agency_invitations WHERE user_id = $1 OR invited_by = $1 ORDER BY id`,
  ),
  part(
    "contracts",
    `SELECT id, agency_id, commission_basis_points, starts_at, ends_at, ended_by FROM contracts WHERE host_id = $1
     ORDER BY id`,
  ),
  part(
    "payouts",
    `SELECT id, status, amount, currency, rate, fee, net, kind, provider, shown, reference, failure, created_at, approved_at,
       sent_at, ended_at
     FROM payouts WHERE user_id = $1 ORDER BY id`,
  ),
  part(
    "settlements",
    `SELECT run_id, contract_id, earnings, seat_seconds, seat_days, weight, level, salary, commission, how, paid_at
     FROM run_lines WHERE host_id = $1 ORDER BY id`,
  ),
  part(
    "seat-sessions",
    "SELECT room_id, started_at, ended_at FROM seat_sessions WHERE user_id = $1 ORDER BY ended_at, id",
  ),
  part(
    "coins-of-sellers",
    `SELECT t.*, (SELECT max(created_at) FROM seller_reversals WHERE transfer_id = t.id) AS reversed_at,
       (SELECT sum(debt)::bigint FROM seller_reversals WHERE transfer_id = t.id) AS debt, (SELECT sum(taken)::bigint FROM refund_transfers f
         WHERE f.transfer_id = t.id AND released = 0) AS refunded FROM seller_transfers t WHERE t.seller_id = $1 OR t.recipient_id = $1 ORDER BY t.id`,
  ),
  part(
    "seller",
    `SELECT is_active, daily_limit, recipient_daily_limit, discount_basis_points, created_at FROM sellers WHERE user_id = $1`,
  ),
  part("wallets", `SELECT asset, balance, bought FROM wallets WHERE user_id = $1 ORDER BY asset`),
  part(
    "wallet-movements",
    `SELECT e.id, e.asset, e.amount, e.bought, e.balance_after, m.reference_type, m.reference_id, m.description, e.created_at
     FROM ledger_entries e JOIN ledger_movements m ON m.id = e.movement_id WHERE e.user_id = $1
     ORDER BY e.asset, e.entry_no`,
  ),
  part("coin-grants", `SELECT id, kind, coins, reason, created_at FROM coin_grants WHERE user_id = $1 ORDER BY id`),
  part(
    "payment-orders",
    `SELECT id, kind, status, title, amount, currency, asset, credit, package_id, plan_id, provider, provider_order_id,
       created_at, expires_at, paid_at, refunded_at
     FROM payment_orders WHERE user_id = $1 ORDER BY id`,
  ),
  part(
    "payments",
    `SELECT p.id, p.order_id, p.provider, p.provider_payment_id, p.amount, p.refunded_amount, p.created_at
     FROM payment_orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = $1 ORDER BY p.id`,
  ),
  part(
    "receipts",
    `SELECT r.number, r.order_id, r.kind, r.seller_name, r.seller_address, r.seller_tax_id, r.country, r.tax_rate, r.net,
       r.tax, r.gross, r.currency, r.created_at
     FROM payment_orders o JOIN receipts r ON r.order_id = o.id WHERE o.user_id = $1 ORDER BY r.id`,
  ),
  part(
    "store-purchases",
    `SELECT p.id, p.provider, p.environment, p.transaction_id, p.original_transaction_id, s.product_id, p.order_id,
       p.subscription_id, p.state, p.purchased_at, p.period_starts_at, p.period_ends_at, p.refunded_at, p.reversed_at
     FROM store_purchases p LEFT JOIN store_products s ON s.id = p.product_id WHERE p.user_id = $1 ORDER BY p.id`,
  ),
  part(
    "subscriptions",
    `SELECT id, provider, provider_subscription_id, plan_id, status, auto_renew, current_period_starts_at,
       current_period_ends_at, grace_until, pending_plan_id, price_consent, created_at
     FROM subscriptions WHERE user_id = $1 ORDER BY id`,
  ),
  part(
    "vip",
    `SELECT plan_id, order_id, starts_at, ends_at, ended_at FROM vip_periods WHERE user_id = $1 ORDER BY starts_at`,
  ),
  part("frames", `SELECT frame_id, expires_at, equipped FROM frame_ownerships WHERE user_id = $1 ORDER BY frame_id`),
  part("frame-purchases", `SELECT id, frame_id, price, created_at FROM frame_purchases WHERE user_id = $1 ORDER BY id`),
  part(
    "games",
    `SELECT s.id, s.type, s.room_id, s.status, p.score, p.place, s.created_at, s.finished_at
     FROM game_players p JOIN game_sessions s ON s.id = p.session_id WHERE p.user_id = $1 ORDER BY s.id`,
  ),
  part(
    "scores",
    `SELECT scope, week, score, reached_at FROM leaderboard_scores WHERE subject_id = $1 ORDER BY week, scope`,
  ),
  part(
    "notifications",
    `SELECT id, type, actor_id, events, coins, data, read_at, created_at FROM notifications WHERE user_id = $1
     ORDER BY created_at`,
  ),
  part(
    "reports",
    `SELECT id, target_type, target_id, reason, details, status, created_at, closed_at FROM reports
     WHERE reporter_id = $1 ORDER BY id`,
  ),
  part(
    "sanctions",
    `SELECT id, kinds, until, reason, created_at, lifted_at FROM sanctions WHERE user_id = $1 ORDER BY id`,
  ),
  part("terms", "SELECT version, accepted_at FROM terms_acceptances WHERE user_id = $1 ORDER BY accepted_at"),
  part(
    "held_content",
    `SELECT id, place, target_id, text, input, status, CASE WHEN status = 'rejected' THEN reason END AS reason, content_id,
       created_at, decided_at
     FROM held_content
     WHERE user_id = $1 ORDER BY id`,
  ),
  part(
    "removals",
    `SELECT id, kind, content_id, text, reason, kept, created_at, restored_at FROM removals WHERE user_id = $1 ORDER BY id`,
  ),
  part(
    "appeals",
    `SELECT sanction_id, removal_id, about, text, status, answer, created_at, decided_at FROM appeals WHERE user_id = $1 ORDER BY id`,
  ),
  part(
    "tickets",
    `SELECT id, email, subject, message, status, created_at, updated_at,
       (SELECT json_agg(one -> 'id') FROM jsonb_array_elements(media) AS one) AS media_ids FROM support_tickets WHERE user_id = $1
     ORDER BY id`,
  ),
  part(
    "ticket-answers",
    `SELECT a.ticket_id, a.message, a.created_at FROM support_tickets t JOIN ticket_answers a ON a.ticket_id = t.id
     WHERE t.user_id = $1 ORDER BY a.id`,
  ),
  part(
    "catalogue-customer",
    `SELECT c.id, c.status, c.created_at, d.currency, d.credit_limit, d.due
     FROM catalogue_customers c LEFT JOIN catalogue_credit d ON d.customer_id = c.id WHERE c.user_id = $1`,
  ),
  part(
    "catalogue-orders",
    `SELECT o.id, o.top_up_id, o.service_id, o.card_id, o.card_service_id, o.product_name, o.service_name, o.status,
       o.reason, o.payment, o.currency, o.price, o.discount, o.discount_type, o.discounted_amount, o.total,
       o.order_information, o.due_at, o.created_at, o.completed_at
     FROM catalogue_customers c JOIN catalogue_orders o ON o.customer_id = c.id WHERE c.user_id = $1 ORDER BY o.id`,
  ),
  part(
    "catalogue-reviews",
    `SELECT r.id, r.top_up_id, r.rating, r.comment, r.status, r.created_at, r.updated_at
     FROM catalogue_customers c JOIN catalogue_reviews r ON r.customer_id = c.id WHERE c.user_id = $1 ORDER BY r.id`,
  ),
];

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** All metrics of `GET /metrics`. Times are in seconds, as is customary for Prometheus. */
export const registry = new Registry();

// The event loop's delays are sampled by a timer that wakes an idle process 100 times a second; its utilization, below,
// is free.
collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 60_000 });
for (const figure of ["min", "max", "mean", "stddev", "p50", "p90", "p99"])
  registry.removeSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`);

const registers = [registry];

export const metrics = {
  httpRequests: new Histogram({
    name: "hubbub_http_request_seconds",
    help: "Duration of HTTP requests, by route pattern and status.",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  }),
  eventLoopBusy: new Counter({
    name: "hubbub_event_loop_busy_seconds_total",
    help: "Time that the main thread was not waiting for anything. Its rate is the utilization of the event loop, 0 to 1.",
    registers,
    collect() {
      this.reset();
      this.inc(performance.eventLoopUtilization().active / 1000);
    },
  }),
  mailboxWait: new Histogram({
    name: "hubbub_actor_mailbox_wait_seconds",
    help: "Time that actions wait in an actor's mailbox.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  }),
  actions: new Counter({
    name: "hubbub_actor_actions_total",
    help: "Actions performed by actors, by name and outcome (ok or the error code).",
    labelNames: ["action", "outcome"],
    registers,
  }),
  pushes: new Counter({
    name: "hubbub_pushes_total",
    help: "Server events sent, by event name. Each event counts once, regardless of the number of recipients.",
    labelNames: ["event"],
    registers,
  }),
  hooks: new Histogram({
    name: "hubbub_hook_seconds",
    help: "Duration of the hooks of extensions, by hook.",
    labelNames: ["hook"],
    buckets: [0.000005, 0.00005, 0.0005, 0.005, 0.05, 0.2, 1, 5],
    registers,
  }),
  hookFailures: new Counter({
    name: "hubbub_hook_failures_total",
    help: "Runs of hooks that failed, were too slow, or were left out because the hook is switched off, by hook.",
    labelNames: ["hook"],
    registers,
  }),
  actors: new Gauge({ name: "hubbub_actors", help: "Actors in this process.", labelNames: ["kind"], registers }),
  rebalanced: new Counter({
    name: "hubbub_rebalanced_total",
    help: "Actors that moved to a process with less to do, and connections that were closed to come back there.",
    labelNames: ["what"],
    registers,
  }),
  actorsUnavailable: new Counter({
    name: "hubbub_actors_unavailable_total",
    help: "Calls that failed because an actor could not be reached or made in time, by kind.",
    labelNames: ["kind"],
    registers,
  }),
  pushesMissed: new Counter({
    name: "hubbub_pushes_missed_total",
    help: "Times that this process was too slow to read what others pushed. It then closes its connections, so that clients catch up.",
    registers,
  }),
  busEntries: new Counter({
    name: "hubbub_bus_entries_total",
    help: "Entries that this process has read of what others pushed. Only those that concern its connections come to it.",
    registers,
  }),
  redisDataLost: new Counter({
    name: "hubbub_redis_data_lost_total",
    help: "Times that Redis had lost the list of processes. This process then wrote itself and its actors again.",
    registers,
  }),
  connections: new Gauge({
    name: "hubbub_connections",
    help: "Open realtime connections of this process, by transport.",
    labelNames: ["transport"],
    registers,
  }),
  connectionsCut: new Counter({
    name: "hubbub_connections_cut_total",
    help: "Realtime connections closed by the server, by reason.",
    labelNames: ["reason"],
    registers,
  }),
  devicePushes: new Counter({
    name: "hubbub_device_pushes_total",
    help: "Push notifications, by outcome: sent, unknown_device (the device was deleted), or failed (will be retried).",
    labelNames: ["outcome"],
    registers,
  }),
  poolConnections: new Gauge({
    name: "hubbub_db_pool_connections",
    help: "Connections of the database pool, by state (used, idle, waiting).",
    labelNames: ["state"],
    registers,
  }),
  replicaUp: new Gauge({
    name: "hubbub_db_replica_up",
    help: "1 while the replica serves reads, 0 while the primary does so in its place.",
    registers,
  }),
  replicaBehind: new Gauge({
    name: "hubbub_db_replica_behind_bytes",
    help: "How far the replica was behind the primary's log when it was asked last.",
    registers,
  }),
  replicaReads: new Counter({
    name: "hubbub_db_replica_reads_total",
    help: "Reads that a replica may serve, by the server that has (replica, primary).",
    labelNames: ["server"],
    registers,
  }),
  outboxLag: new Histogram({
    name: "hubbub_outbox_lag_seconds",
    help: "Time from the publication of a domain event until it is recorded (stage record), or pushed to a target (stage push). Without retries.",
    labelNames: ["stage"],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers,
  }),
  outboxFailures: new Counter({
    name: "hubbub_outbox_failures_total",
    help: "Failed deliveries of domain events, by topic and outcome: failed (will be retried) or dead (won't be retried).",
    labelNames: ["topic", "outcome"],
    registers,
  }),
  outboxBacklog: new Gauge({
    name: "hubbub_outbox_backlog",
    help: "Domain events of the whole service that wait to be routed, recorded, or pushed, by stage. At most 100,000 are counted.",
    labelNames: ["stage"],
    registers,
  }),
  outboxDeadLetters: new Gauge({
    name: "hubbub_outbox_dead_letters",
    help: "Deliveries of domain events that have failed too often, in the whole service.",
    registers,
  }),
  jobs: new Counter({
    name: "hubbub_jobs_total",
    help: "Runs of background jobs, by job and outcome: done, failed (will be retried), or dead (won't be retried).",
    labelNames: ["job", "outcome"],
    registers,
  }),
  deadJobs: new Gauge({
    name: "hubbub_jobs_dead",
    help: "Background jobs in the dead-letter queue of the whole service, including jobs of crashed processes.",
    registers,
  }),
  unknownOrders: new Gauge({
    name: "hubbub_catalogue_orders_unknown",
    help: "Catalogue orders of the whole service whose outcome at their provider is unknown. They are asked about again. At most 1,000 are counted.",
    registers,
  }),
  lateReviews: new Gauge({
    name: "hubbub_reviews_late",
    help: "Reports and held content that wait for a decision since more than 24 hours. At most 1,000 of each are counted.",
    registers,
  }),
  ruleActions: new Counter({
    name: "hubbub_rule_actions_total",
    help: "Texts that a rule has changed, kept, or had reviewed, by trigger (room: a rule of a room's host) and what was done: block, timeout, sanction, mute, mask, hold, or alert.",
    labelNames: ["trigger", "action"],
    registers,
  }),
  stuckPayouts: new Gauge({
    name: "hubbub_payouts_stuck",
    help: "Payouts that are flagged, or wait since more than 24 hours. At most 1,000 are counted.",
    registers,
  }),
  paymentFindings: new Gauge({
    name: "hubbub_payment_findings_open",
    help: "Differences between our payments and the books of their providers that aren't settled. At most 1,000 are counted.",
    registers,
  }),
  flaggedOrders: new Gauge({
    name: "hubbub_orders_flagged",
    help: "Paid orders that exceed a bound of purchases, until they are refunded or an administrator lifts it for their user. At most 1,000 are counted.",
    registers,
  }),
  unacknowledgedPurchases: new Gauge({
    name: "hubbub_purchases_unacknowledged",
    help: "Purchases that their store wasn't told of within a day after they were delivered. After three days, Google returns the money. At most 1,000 are counted.",
    registers,
  }),
  events: new Gauge({
    name: "hubbub_event_log",
    help: "The events for the operator's servers, of the whole service, by figure: kept (in the log), behind (how far the furthest endpoint or sink is), dead (endpoints that are paused because they were dead), lost (deleted before an endpoint or sink was given them).",
    labelNames: ["figure"],
    registers,
  }),
  logins: new Counter({
    name: "hubbub_logins_total",
    help: "Logins, by way in (password, phone, guest, or the name of a provider) and outcome: ok, registered (a new account), refused, or failed (a provider can't be reached).",
    labelNames: ["way", "outcome"],
    registers,
  }),
  messages: new Counter({
    name: "hubbub_messages_total",
    help: "Emails and text messages, by channel and outcome: sent, kept (in the development outbox), or dropped (no provider is configured).",
    labelNames: ["channel", "outcome"],
    registers,
  }),
  codesSent: new Counter({
    name: "hubbub_codes_sent_total",
    help: "Login codes sent by text message, by country of the number.",
    labelNames: ["country"],
    registers,
  }),
  codesUsed: new Counter({
    name: "hubbub_codes_used_total",
    help: "Login codes of text messages that were used, by country of the number.",
    labelNames: ["country"],
    registers,
  }),
  voiceSyncs: new Counter({
    name: "hubbub_voice_syncs_total",
    help: "Updates of voice permissions on the media server, by outcome: done or failed (will be retried).",
    labelNames: ["outcome"],
    registers,
  }),
  voiceSyncLag: new Histogram({
    name: "hubbub_voice_sync_lag_seconds",
    help: "Time from the change of a user's voice permission to its update on the media server.",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 60],
    registers,
  }),
  voiceWatches: new Counter({
    name: "hubbub_voice_watches_total",
    help: "Comparisons of a room's participants on the media server with its members, by outcome: done or failed (will be retried).",
    labelNames: ["outcome"],
    registers,
  }),
  voiceEvidence: new Counter({
    name: "hubbub_voice_evidence_total",
    help: "Evidence of voice, by outcome: pieces that were kept, or dropped because the disk was too slow, reports for which it was sealed, and what failed.",
    labelNames: ["outcome"],
    registers,
  }),
};

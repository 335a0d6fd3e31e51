import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Everything that `GET /metrics` shows. Times are in seconds, as Prometheus wants them. */
export const registry = new Registry();

collectDefaultMetrics({ register: registry });

const registers = [registry];

export const metrics = {
  httpRequests: new Histogram({
    name: "hubbub_http_request_seconds",
    help: "Time to answer an HTTP request, by route pattern and status.",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  }),
  mailboxWait: new Histogram({
    name: "hubbub_actor_mailbox_wait_seconds",
    help: "Time that an action waited for its turn in an actor's mailbox.",
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
    help: "Server events pushed, by event name (one for each push, however many receive it).",
    labelNames: ["event"],
    registers,
  }),
  actors: new Gauge({ name: "hubbub_actors", help: "Actors alive in this process.", labelNames: ["kind"], registers }),
  connections: new Gauge({
    name: "hubbub_connections",
    help: "Open realtime connections of this process, by door.",
    labelNames: ["door"],
    registers,
  }),
  connectionsCut: new Counter({
    name: "hubbub_connections_cut_total",
    help: "Realtime connections cut by the server, by reason.",
    labelNames: ["reason"],
    registers,
  }),
  devicePushes: new Counter({
    name: "hubbub_device_pushes_total",
    help: "Pushes to devices, by outcome: sent, unknown_device (forgotten) or failed (tried again).",
    labelNames: ["outcome"],
    registers,
  }),
  poolConnections: new Gauge({
    name: "hubbub_db_pool_connections",
    help: "Database connections of the pool, by state (used, idle, waiting).",
    labelNames: ["state"],
    registers,
  }),
  outboxLag: new Histogram({
    name: "hubbub_outbox_lag_seconds",
    help: "Time from a fact's commit to its delivery to every consumer.",
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  }),
  outboxFailures: new Counter({
    name: "hubbub_outbox_failures_total",
    help: "Deliveries of facts that failed and will be tried again, by topic.",
    labelNames: ["topic"],
    registers,
  }),
  jobs: new Counter({
    name: "hubbub_jobs_total",
    help: "Runs of background jobs, by job and outcome: done, failed (runs again) or dead (will not run again).",
    labelNames: ["job", "outcome"],
    registers,
  }),
  deadJobs: new Gauge({
    name: "hubbub_jobs_dead",
    help: "Background jobs of the whole service that lie in the queue of the dead, also those that died with their process.",
    registers,
  }),
  messages: new Counter({
    name: "hubbub_messages_total",
    help: "Mail and SMS, by channel and outcome: sent, kept (for developers) or dropped (nobody carries it).",
    labelNames: ["channel", "outcome"],
    registers,
  }),
  voiceSyncs: new Counter({
    name: "hubbub_voice_syncs_total",
    help: "Voice rights carried to the media server, by outcome: done or failed (tried again).",
    labelNames: ["outcome"],
    registers,
  }),
  voiceSyncLag: new Histogram({
    name: "hubbub_voice_sync_lag_seconds",
    help: "Time from a change of somebody's voice right to the media server knowing it.",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 60],
    registers,
  }),
  voiceWatches: new Counter({
    name: "hubbub_voice_watches_total",
    help: "Comparisons of a room's media participants with its members, by outcome: done or failed (tried again).",
    labelNames: ["outcome"],
    registers,
  }),
};

/** What a machine's own service has been measured to cost. CPU in seconds, or in cores for what lasts. */
export interface Figures {
  /** A process without anyone: cores, and bytes that it keeps; and its connections to PostgreSQL after a load. */
  readonly process: { readonly cores: number; readonly bytes: number; readonly connections: number };
  /** A connection, outside of rooms. */
  readonly connection: { readonly cores: number; readonly bytes: number };
  /** What being in a room adds to a connection, and what the room takes. */
  readonly member: { readonly bytes: number };
  readonly room: { readonly bytes: number };
  /** To connect, join, and leave. */
  readonly visit: { readonly cpu: number };
  /** A chat message without its deliveries, and each delivery. */
  readonly message: { readonly cpu: number; readonly database: number };
  readonly delivery: { readonly cpu: number };
  /** A gift with all that follows, except for the deliveries of its animation. */
  readonly gift: { readonly cpu: number; readonly database: number };
  /** What a message to people at two processes costs Redis, and what a connection takes there. */
  readonly redis: { readonly cpuPerPush: number; readonly bytesPerPush: number; readonly bytesPerConnection: number };
}

/** What people do. */
export interface Habits {
  readonly roomSize: number;
  /** Of each person. */
  readonly messagesPerMinute: number;
  readonly giftsPerMinute: number;
  readonly visitMinutes: number;
}

export interface Machine {
  readonly cores: number;
  readonly bytes: number;
}

/** What one person in a room costs: cores, and bytes of a process. */
export interface PersonCost {
  readonly process: number;
  readonly database: number;
  readonly redis: number;
  readonly bytes: number;
}

export interface Plan {
  readonly people: number;
  readonly processes: number;
  readonly boundBy: "CPU" | "memory";
}

/** How busy a core may be, so that p99 stays low, and another process can be lost. */
export const busyMax = 0.6;
/** The heap may grow to twice what is in use before it is collected. */
const heapFactor = 2;
/** The share of a machine's memory that the processes may take. The rest is for PostgreSQL, or the system's cache. */
const memoryShare = 0.5;

/** Returns what one person costs who is in a room and does as the others do. */
export function costOf(figures: Figures, habits: Habits): PersonCost {
  const { connection, member, room, visit, message, delivery, gift, redis } = figures;
  const { roomSize, visitMinutes } = habits;
  const [messages, gifts] = [habits.messagesPerMinute / 60, habits.giftsPerMinute / 60];
  // Of each message and each gift, everyone in the room hears.
  const pushes = messages + gifts;
  return {
    process:
      connection.cores +
      visit.cpu / (visitMinutes * 60) +
      messages * message.cpu +
      gifts * gift.cpu +
      pushes * roomSize * delivery.cpu,
    database: messages * message.database + gifts * gift.database,
    redis: pushes * redis.cpuPerPush,
    bytes: connection.bytes + member.bytes + room.bytes / roomSize,
  };
}

/**
 * Returns how many people a machine carries. `withDatabase`: PostgreSQL and Redis run on it as well.
 *
 *     people per process = (0.6 − cores of an idle process) / cores per person
 */
export function planFor(
  figures: Figures,
  habits: Habits,
  { cores, bytes }: Machine,
  { withDatabase }: { withDatabase: boolean },
): Plan {
  const person = costOf(figures, habits);
  const each = person.process + (withDatabase ? person.database + person.redis : 0);
  const byCpu = (processes: number) =>
    Math.min(
      (cores * busyMax - processes * figures.process.cores) / each,
      (processes * (busyMax - figures.process.cores)) / person.process,
    );
  const byMemory = (processes: number) =>
    (bytes * memoryShare - processes * figures.process.bytes * heapFactor) / (person.bytes * heapFactor);
  const plans = Array.from({ length: cores }, (_, index) => index + 1).map((processes): Plan => {
    const boundBy = byCpu(processes) <= byMemory(processes) ? "CPU" : "memory";
    return { people: Math.max(0, Math.floor(Math.min(byCpu(processes), byMemory(processes)))), processes, boundBy };
  });
  return plans.reduce((best, plan) => (plan.people > best.people ? plan : best));
}

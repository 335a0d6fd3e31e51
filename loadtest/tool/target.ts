import pg from "pg";
import { addPeople } from "../many-people.ts";
import { startService } from "../service.ts";
import type { Person } from "./people.ts";
import type { OwnService } from "./stage.ts";

/** The service that is loaded. */
export interface Target {
  readonly url: string;
  /** Adds people whose tokens last so many seconds, and some more. Only of a service of its own. */
  addPeople?(count: number, seconds: number): Promise<readonly Person[]>;
  readonly own?: OwnService;
  stop(): Promise<void>;
}

const admin = { email: "load@example.com", password: "the long password of load tests" };

/** For the preparation, and for what follows the load. */
const moreSeconds = 3600;

/** Starts the service on this machine, with an empty database and without rate limits. */
export async function startTarget(): Promise<Target> {
  const more = { ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password };
  const service = await startService({ detached: true, more });
  const { token } = await service.call<{ token: string }>("POST", "/admin/login", { body: admin });
  const database = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
  return {
    url: service.url,
    addPeople: async (count, seconds) => {
      const people = await addPeople(service, count, Math.ceil(seconds) + moreSeconds);
      return people.map(({ id, token }, index) => ({ id, name: `person ${index}`, accessToken: token }));
    },
    own: {
      admin: (method, path, body) => service.call(method.toUpperCase(), `/admin${path}`, { token, body }),
      query: async (sql) => (await database.query(sql)).rows,
    },
    stop: async () => {
      await database.end();
      await service.stop();
    },
  };
}

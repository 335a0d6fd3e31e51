import Joi from "joi";
import { about, address } from "./environment-fields.ts";

/** Environment variables of the replica that serves reads. */
export const replicaVariables = {
  DATABASE_REPLICA_URL: about(
    address("postgres:", "postgresql:").when("DATABASE_URL", { is: Joi.exist(), otherwise: Joi.forbidden() }),
    {
      purpose:
        "A streaming replica of the database, or a balancer of several: it serves lists, searches, and the console, never older than what was committed before. The primary does so while it is behind or away.",
      wanted: "postgres://user:password@host:port/database",
      example: "postgres://hubbub:hubbub@127.0.0.1:5433/hubbub",
      secrecy: "address",
    },
  ),
  DATABASE_REPLICA_WAIT_MS: about(Joi.number().integer().min(0).max(1000), {
    purpose:
      "How long a read waits for the replica to have what was committed before. If it takes longer, the primary serves the reads until the replica has caught up.",
    wanted: "a whole number of milliseconds, 0 to 1000",
    example: "200",
    fallback: 100,
  }),
};

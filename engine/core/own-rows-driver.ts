import { matchMaker } from "@colyseus/core";
import { RedisDriver } from "@colyseus/redis-driver";
import type { Redis } from "ioredis";
import { logger } from "#shared/kernel/logger.ts";
import { roomListing } from "./colyseus-internals.ts";

/** Removes a row of the listing only if it belongs to this process. */
const removeScript = `
  local row = redis.call("hget", KEYS[1], ARGV[1])
  if row and cjson.decode(row).processId == ARGV[2] then return redis.call("hdel", KEYS[1], ARGV[1]) else return 0 end`;

/**
 * Colyseus' listing of rooms in Redis, in which an actor that ends takes out its own row only. Ours keep their id from
 * one actor to the next: while the last clients of an actor leave, its successor may be listed already.
 */
export class OwnRowsDriver extends RedisDriver {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    super(redis);
    this.#redis = redis;
  }

  /** Never rejects: Colyseus does not always wait for it. */
  override async update(...[row, operations]: Parameters<RedisDriver["update"]>): Promise<boolean> {
    try {
      return await super.update(row, operations);
    } catch (error) {
      logger.warn({ err: error, roomId: row.roomId }, "an actor's row was not changed");
      return false;
    }
  }

  /**
   * Never rejects: Colyseus does not wait for it. A row that stays names a process in which the directory finds no
   * actor.
   */
  override async remove(roomId: string): Promise<boolean> {
    try {
      return (await this.#redis.eval(removeScript, 1, roomListing, roomId, matchMaker.processId)) === 1;
    } catch (error) {
      logger.warn({ err: error, roomId }, "an actor's row was not removed");
      return false;
    }
  }
}

import { expect } from "chai";
import { redisAddress } from "./redis-address.ts";

describe("the address of a Redis server", () => {
  it("names the host, and all else that is given", () => {
    expect(redisAddress("redis://127.0.0.1")).to.deep.equal({ host: "127.0.0.1", port: 6379, db: 0 });
    expect(redisAddress("rediss://me:p%40ss@[::1]:7000/3?family=6")).to.deep.equal({
      host: "::1",
      port: 7000,
      db: 3,
      username: "me",
      password: "p@ss",
      family: 6,
      tls: {},
    });
    expect(redisAddress("redis://:secret@redis.example.com")).to.include({ password: "secret" });
  });
});

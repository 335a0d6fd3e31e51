import { expect } from "chai";
import { redisAddress } from "./redis-address.ts";

describe("the address of Redis", () => {
  it("names a server, and all else that is given", () => {
    expect(redisAddress("redis://127.0.0.1")).to.deep.equal({
      kind: "server",
      hosts: [{ host: "127.0.0.1", port: 6379 }],
      name: "",
      database: 0,
      isEncrypted: false,
      query: {},
    });
    expect(redisAddress("rediss://me:p%40s:s@[::1]:7000/3?family=6")).to.deep.equal({
      kind: "server",
      hosts: [{ host: "::1", port: 7000 }],
      name: "",
      database: 3,
      username: "me",
      password: "p@s:s",
      isEncrypted: true,
      query: { family: "6" },
    });
    expect(redisAddress("redis://:secret@redis.example.com")).to.include({ password: "secret" });
  });

  it("names Sentinels and the server that they watch", () => {
    const url = "redis-sentinel://me:secret@one,[::2]:7000,three:26380/hubbub?db=2&tls=on&sentinel_password=other";
    expect(redisAddress(url)).to.deep.equal({
      kind: "sentinel",
      hosts: [
        { host: "one", port: 26379 },
        { host: "::2", port: 7000 },
        { host: "three", port: 26380 },
      ],
      name: "hubbub",
      database: 2,
      username: "me",
      password: "secret",
      isEncrypted: true,
      query: { db: "2", tls: "on", sentinel_password: "other" },
    });
  });

  it("names nodes of a cluster", () => {
    const { kind, hosts, password } = redisAddress("redis-cluster://:secret@one,two:7001");
    expect({ kind, hosts, password }).to.deep.equal({
      kind: "cluster",
      hosts: [
        { host: "one", port: 6379 },
        { host: "two", port: 7001 },
      ],
      password: "secret",
    });
  });

  const invalid = {
    "another scheme": "http://one",
    "two servers": "redis://one,two",
    "a port that is none": "redis-cluster://one:port",
    "Sentinels without a name": "redis-sentinel://one,two",
    "a cluster with a database": "redis-cluster://one/1",
    "an unknown option": "redis-cluster://one?tsl=on",
    "no host": "redis://",
  };
  for (const [what, url] of Object.entries(invalid))
    it(`isn't ${what}`, () => {
      expect(() => redisAddress(url)).to.throw();
    });
});

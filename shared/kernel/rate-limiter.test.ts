import { expect } from "chai";
import { RateLimiterRes } from "rate-limiter-flexible";
import { consume, makeRateLimiter, throwRateLimited } from "./rate-limiter.ts";

describe("a rate limiter", () => {
  it("rejects only keys without remaining points", async () => {
    const limiter = makeRateLimiter({ keyPrefix: "test", points: 2, duration: 60 });
    for (const consumed of [1, 2]) expect((await consume(limiter, "ada")).consumedPoints).to.equal(consumed);
    const failure = await consume(limiter, "ada", "Enough.").catch((error: unknown) => error);
    expect(failure).to.include({ code: "RATE_LIMITED", message: "Enough.", retryAfter: 60 });
    expect((await consume(limiter, "grace")).consumedPoints).to.equal(1);
  });

  it("asks for at least a second of waiting, and rethrows other errors", () => {
    const thrownFor = (reason: unknown) => {
      try {
        return throwRateLimited(reason);
      } catch (error) {
        return error;
      }
    };
    expect(thrownFor(new RateLimiterRes(0, 0))).to.include({ code: "RATE_LIMITED", retryAfter: 1 });
    const fault = new Error("a fault of ours");
    expect(thrownFor(fault)).to.equal(fault);
  });
});

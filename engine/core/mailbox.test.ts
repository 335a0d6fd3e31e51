import { expect } from "chai";
import fc from "fast-check";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { Mailbox } from "./mailbox.ts";

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
  );

describe("the mailbox", () => {
  it("does one thing at a time, in order of arrival, whether it waits or not", async () => {
    const mailbox = new Mailbox();
    const log: string[] = [];
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const slow = (index: number) => async () => {
      log.push(`${index} begins`);
      await gates[index]?.promise;
      log.push(`${index} ends`);
      return index;
    };
    const runs = [slow(0), slow(1), () => log.push("quick"), slow(2)].map((work) => mailbox.run<number>(work));
    gates[2]?.resolve();
    gates[1]?.resolve();
    expect(log).to.deep.equal(["0 begins"]);
    expect(mailbox.waiting).to.equal(3);
    gates[0]?.resolve();
    expect((await Promise.all(runs)).toSpliced(2, 1)).to.deep.equal([0, 1, 2]);
    expect(log).to.deep.equal(["0 begins", "0 ends", "1 begins", "1 ends", "quick", "2 begins", "2 ends"]);
  });

  it("runs work immediately when it is idle", () => {
    let done = false;
    void new Mailbox().run(() => {
      done = true;
    });
    expect(done).to.equal(true);
  });

  /** Keeps the mailbox busy until the returned function is called. */
  const occupy = (mailbox: Mailbox): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void mailbox.run(() => promise);
    return resolve;
  };

  it("serves callers in rotation, so that one who floods it delays others by one turn at most", async () => {
    const mailbox = new Mailbox({ all: 1000, share: 100 });
    const begin = occupy(mailbox);
    const turns: string[] = [];
    const send = (by: string, many = 1) =>
      Promise.all(Array.from({ length: many }, () => mailbox.run(() => void turns.push(by), { by })));
    const others = ["ada", "grace", "alan"];
    const all = [send("flooder", 100), ...others.map((by) => send(by)), send("ada")];
    begin();
    await Promise.all(all);
    expect(turns.slice(0, 6)).to.deep.equal(["flooder", "ada", "grace", "alan", "flooder", "ada"]);
    expect(turns.filter((by) => by === "flooder")).to.have.length(100);
  });

  it("does the work of each caller in order, and no caller's more than the callers' number of turns late", () => {
    const callers = fc.array(fc.constantFrom("ada", "grace", "flooder", undefined), { maxLength: 200 });
    const check = fc.asyncProperty(callers, async (sent) => {
      const mailbox = new Mailbox({ all: 1000, share: 1000 });
      const begin = occupy(mailbox);
      const done: { by: string | undefined; nth: number }[] = [];
      const counts = new Map<string | undefined, number>();
      const runs = sent.map((by) => {
        const nth = (counts.get(by) ?? 0) + 1;
        counts.set(by, nth);
        return mailbox.run(() => void done.push({ by, nth }), by === undefined ? {} : { by });
      });
      begin();
      await Promise.all(runs);
      for (const by of counts.keys())
        expect(done.filter((one) => one.by === by).map(({ nth }) => nth)).to.deep.equal(
          Array.from({ length: counts.get(by)! }, (_, index) => index + 1),
        );
      // Three callers, and a turn of the service between any two of theirs.
      done.forEach(({ nth }, index) => {
        expect(index).to.be.lessThan(nth * 6);
      });
    });
    return fc.assert(check, { numRuns: 50 });
  });

  it("starves neither the service nor callers, whichever of them floods it", async () => {
    const mailbox = new Mailbox({ all: 1000, share: 100 });
    const begin = occupy(mailbox);
    const turns: string[] = [];
    const ofCaller = Array.from({ length: 3 }, () => mailbox.run(() => turns.push("caller"), { by: "ada" }));
    const ofService = Array.from({ length: 3 }, () => mailbox.run(() => turns.push("service")));
    begin();
    await Promise.all([...ofCaller, ...ofService]);
    expect(turns.filter((by, index) => by !== turns[index - 1])).to.have.length(6);
  });

  it("rejects only work beyond a caller's share", async () => {
    const mailbox = new Mailbox({ all: 100, share: 2 });
    const begin = occupy(mailbox);
    const flood = Array.from({ length: 5 }, (_, nth) => mailbox.run(() => nth, { by: "flooder" }));
    const ofAda = mailbox.run(() => "ada's", { by: "ada" });
    const ofService = Array.from({ length: 5 }, () => mailbox.run(() => "service's"));
    begin();
    expect(await Promise.all(flood.map(codeOf))).to.deep.equal([
      undefined,
      undefined,
      "RATE_LIMITED",
      "RATE_LIMITED",
      "RATE_LIMITED",
    ]);
    expect(await ofAda).to.equal("ada's");
    expect(await Promise.all(ofService)).to.have.length(5);
  });

  it("drops the busiest caller's last work when full, and rejects callers only when all have one waiting", async () => {
    const mailbox = new Mailbox({ all: 4, share: 4 });
    const begin = occupy(mailbox);
    const send = (by: string) => codeOf(mailbox.run(() => by, { by }));
    const flood = Array.from({ length: 4 }, () => send("flooder"));
    const others = ["ada", "grace", "alan", "edsger"].map(send);
    begin();
    expect(await Promise.all(flood)).to.deep.equal([undefined, "RATE_LIMITED", "RATE_LIMITED", "RATE_LIMITED"]);
    expect(await Promise.all(others)).to.deep.equal([undefined, undefined, undefined, "ENGINE_UNAVAILABLE"]);
    expect(mailbox.waiting).to.equal(0);
  });

  it("drops work whose turn comes too late, and doesn't do it later", async () => {
    const mailbox = new Mailbox();
    const begin = occupy(mailbox);
    let done = false;
    const late = codeOf(mailbox.run(() => (done = true), { by: "ada", dueMs: performance.now() - 1 }));
    const next = mailbox.run(() => "in time", { by: "ada", dueMs: performance.now() + 60_000 });
    begin();
    expect(await late).to.equal("ENGINE_UNAVAILABLE");
    expect(await next).to.equal("in time");
    expect(done).to.equal(false);
  });

  it("lets other parts of the process have a turn when a crowd acts at once", async () => {
    const mailbox = new Mailbox();
    const begin = occupy(mailbox);
    const turns: number[] = [];
    let done = 0;
    const work = () => {
      const untilMs = performance.now() + 1;
      while (performance.now() < untilMs);
      done += 1;
    };
    const crowd = Array.from({ length: 100 }, (_, nth) => mailbox.run(work, { by: `${nth}` }));
    begin();
    const count = () => {
      turns.push(done);
      if (done < 100) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(crowd);
    const atOnce = turns.map((reached, index) => reached - (turns[index - 1] ?? 0));
    expect(Math.max(...atOnce)).to.be.below(20);
  });

  it("keeps working after work throws or rejects", async () => {
    const mailbox = new Mailbox();
    const failures = [
      mailbox.run(() => {
        throw new DomainError("SEAT_TAKEN");
      }),
      mailbox.run(() => Promise.reject(new DomainError("SEAT_LOCKED"))),
      mailbox.run(async () => {
        throw new DomainError("NOT_SEATED");
      }),
    ];
    const after = mailbox.run(() => "after");
    expect(await Promise.all(failures.map(codeOf))).to.deep.equal(["SEAT_TAKEN", "SEAT_LOCKED", "NOT_SEATED"]);
    expect(await after).to.equal("after");
    expect(mailbox.waiting).to.equal(0);
  });
});

import { expect } from "chai";
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

  it("does at once what finds it idle", () => {
    let done = false;
    void new Mailbox().run(() => {
      done = true;
    });
    expect(done).to.equal(true);
  });

  it("refuses what finds it full, but not what the service itself must get done", async () => {
    const mailbox = new Mailbox(2);
    const gate = Promise.withResolvers<void>();
    const busy = mailbox.run(() => gate.promise);
    const waiting = [mailbox.run(() => "first"), mailbox.run(() => "second")];
    expect(await codeOf(mailbox.run(() => "third"))).to.equal("ENGINE_UNAVAILABLE");
    const must = mailbox.run(() => "must", { beyondLimit: true });
    gate.resolve();
    await busy;
    expect(await Promise.all([...waiting, must])).to.deep.equal(["first", "second", "must"]);
    expect(await mailbox.run(() => "again")).to.equal("again");
  });

  it("goes on after work that throws, at once or later", async () => {
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

import { expect } from "chai";
import { costOf, type Figures, type Habits, planFor } from "./capacity-plan.ts";

const figures: Figures = {
  process: { cores: 0.01, bytes: 100e6, connections: 20 },
  connection: { cores: 0.000_002, bytes: 40_000 },
  member: { bytes: 20_000 },
  room: { bytes: 10_000 },
  visit: { cpu: 0.004 },
  message: { cpu: 0.001, database: 0.000_5 },
  delivery: { cpu: 0.000_02 },
  gift: { cpu: 0.000_5, database: 0.000_5 },
  redis: { cpuPerPush: 0.000_01, bytesPerPush: 700, bytesPerConnection: 200 },
};
const habits: Habits = { roomSize: 20, messagesPerMinute: 1, giftsPerMinute: 0.1, visitMinutes: 20 };
const machine = { cores: 4, bytes: 64e9 };

describe("the plan of a machine", () => {
  it("adds up what a person costs: the connection, visits, messages and gifts with their deliveries", () => {
    const person = costOf(figures, habits);

    const expected = 0.000_002 + 0.004 / 1200 + 0.001 / 60 + 0.000_5 / 600 + (1.1 / 60) * 20 * 0.000_02;
    expect(person.process).to.be.closeTo(expected, 1e-12);
    expect(person.database).to.be.closeTo((0.000_5 * 1.1) / 60, 1e-12);
    expect(person.bytes).to.equal(40_000 + 20_000 + 500);
  });

  it("keeps each process and the whole machine at six tenths of a core", () => {
    const alone = planFor(figures, habits, { cores: 1, bytes: 64e9 }, { withDatabase: false });

    expect(alone).to.deep.include({ processes: 1, boundBy: "CPU" });
    expect(alone.people * costOf(figures, habits).process).to.be.closeTo(0.59, 0.001);
    const four = planFor(figures, habits, machine, { withDatabase: false });
    expect(four.processes).to.equal(4);
    expect(four.people).to.be.closeTo(alone.people * 4, 4);
  });

  it("leaves cores for PostgreSQL and Redis where they are on the machine, too", () => {
    const [shared, apart] = [true, false].map((withDatabase) => planFor(figures, habits, machine, { withDatabase }));

    expect(shared!.people).to.be.below(apart!.people);
    const { process, database, redis } = costOf(figures, habits);
    const used = shared!.people * (process + database + redis) + shared!.processes * 0.01;
    expect(used).to.be.closeTo(4 * 0.6, 0.001);
  });

  it("is bound by memory where there is little, and carries no one where a process doesn't fit", () => {
    const small = planFor(figures, habits, { cores: 4, bytes: 2e9 }, { withDatabase: false });

    expect(small.boundBy).to.equal("memory");
    expect(small.people).to.equal(Math.floor((1e9 - small.processes * 200e6) / (60_500 * 2)));
    expect(planFor(figures, habits, { cores: 4, bytes: 1e8 }, { withDatabase: false }).people).to.equal(0);
  });

  it("carries more people who say less, and fewer in larger rooms", () => {
    const people = (others: Partial<Habits>) =>
      planFor(figures, { ...habits, ...others }, machine, { withDatabase: true }).people;

    expect(people({ messagesPerMinute: 0.1 })).to.be.above(2 * people({}));
    expect(people({ roomSize: 200 })).to.be.below(people({}) / 2);
  });
});

import { expect } from "chai";
import { weekOf } from "./week.ts";

describe("weekOf", () => {
  const week = (moment: string) => weekOf(Date.parse(moment));

  it("begins on Monday at midnight UTC", () => {
    const expected = { monday: "2026-11-16", startsAt: "2026-11-16T00:00:00.000Z", endsAt: "2026-11-23T00:00:00.000Z" };
    expect(week("2026-11-16T00:00:00.000Z")).to.deep.equal(expected);
    expect(week("2026-11-22T23:59:59.999Z")).to.deep.equal(expected);
    expect(week("2026-11-23T00:00:00.000Z").monday).to.equal("2026-11-23");
    expect(week("2026-11-15T23:59:59.999Z").monday).to.equal("2026-11-09");
  });

  it("ignores years and daylight saving time", () => {
    expect(week("2027-01-01T12:00:00.000Z").monday).to.equal("2026-12-28");
    expect(week("2028-02-29T12:00:00.000Z").monday).to.equal("2028-02-28");
    expect(week("1970-01-01T00:00:00.000Z").monday).to.equal("1969-12-29");
    for (let day = 0; day < 800; day += 1) {
      const { monday } = weekOf(day * 86_400_000);
      expect(new Date(monday).getUTCDay(), monday).to.equal(1);
    }
  });
});

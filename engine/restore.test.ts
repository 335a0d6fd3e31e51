import { expect } from "chai";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Directory } from "./core/directory.ts";
import { Restorer } from "./restore.ts";

/** Makes actors when it is told to. */
class SlowDirectory {
  readonly asked: string[] = [];
  readonly #making: PromiseWithResolvers<void>[] = [];

  ensure(_kind: string, id: string): Promise<void> {
    this.asked.push(id);
    const made = Promise.withResolvers<void>();
    this.#making.push(made);
    return made.promise;
  }

  /** Ends what is being made. */
  async end(settle: (made: PromiseWithResolvers<void>) => void = ({ resolve }) => resolve()): Promise<void> {
    this.#making.splice(0).forEach(settle);
    // What waited begins after this turn.
    await new Promise(setImmediate);
  }
}

describe("restoring actors", () => {
  const ids = Array.from({ length: 120 }, (_, index) => `room ${index}`);

  it("makes at most 50 side by side, so that others don't wait", async () => {
    const directory = new SlowDirectory();
    const restorer = new Restorer(directory as unknown as Directory);
    void restorer.add("voice_room", ids.slice(0, 70));
    void restorer.add("voice_room", ids.slice(70));
    await new Promise(setImmediate);
    expect(directory.asked).to.deep.equal(ids.slice(0, 50));
    await directory.end();
    expect(directory.asked).to.deep.equal(ids.slice(0, 100));
    await directory.end();
    expect(directory.asked).to.deep.equal(ids);
  });

  it("goes on after one that fails", async () => {
    const directory = new SlowDirectory();
    const restorer = new Restorer(directory as unknown as Directory);
    void restorer.add("voice_room", ids.slice(0, 51));
    await new Promise(setImmediate);
    await directory.end(({ reject }) => reject(new Error("a test")));
    expect(directory.asked).to.have.length(51);
    await directory.end();
    await restorer.stop();
  });

  it("says for which nothing is left to do", async () => {
    const failures = new Map([
      ["closed", new DomainError("ROOM_CLOSED")],
      ["out of reach", new DomainError("ENGINE_UNAVAILABLE")],
      ["broken", new Error("a test")],
    ]);
    const ensure = (_kind: string, id: string) =>
      failures.has(id) ? Promise.reject(failures.get(id)) : Promise.resolve();
    const restorer = new Restorer({ ensure } as unknown as Directory);
    const all = ["there", ...failures.keys()];
    expect(await restorer.add("voice_room", all)).to.deep.equal(["there", "closed"]);
    await restorer.stop();
    expect(await restorer.add("voice_room", all)).to.deep.equal([]);
  });

  it("begins no other when it stops, and waits for those in progress", async () => {
    const directory = new SlowDirectory();
    const restorer = new Restorer(directory as unknown as Directory);
    void restorer.add("voice_room", ids);
    await new Promise(setImmediate);
    let stopped = false;
    const stopping = restorer.stop().then(() => {
      stopped = true;
    });
    await new Promise(setImmediate);
    expect(stopped).to.equal(false);
    await directory.end();
    await stopping;
    expect(directory.asked).to.deep.equal(ids.slice(0, 50));
  });
});

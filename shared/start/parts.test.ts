import { expect } from "chai";
import { Parts } from "./parts.ts";

describe("the parts of a process", () => {
  it("stop in reverse order, and say which of them still stops", async () => {
    const parts = new Parts();
    const hangs = Promise.withResolvers<void>();
    const stopped: string[] = [];
    parts.defer("the database", () => stopped.push("the database"));
    parts.defer("the engine", (step) => {
      step("its actors");
      return hangs.promise;
    });
    parts.defer("the port", () => stopped.push("the port"));

    const stopping = parts.stop();
    await new Promise(setImmediate);
    expect([stopped, parts.stopping]).to.deep.equal([["the port"], "its actors"]);
    hangs.resolve();
    await stopping;
    expect(stopped).to.deep.equal(["the port", "the database"]);
  });
});

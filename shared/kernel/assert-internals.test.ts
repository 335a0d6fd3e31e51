import { expect } from "chai";
import { assertInternals } from "./assert-internals.ts";

describe("assertInternals", () => {
  it("names what a library no longer has", () => {
    expect(() => assertInternals("ws", { "_sender.sendFrame": false, "Sender.frame": true, _socket: false })).to.throw(
      "ws has _sender.sendFrame, _socket",
    );
    expect(() => assertInternals("ws", { "Sender.frame": true })).not.to.throw();
  });
});

import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { checkAcknowledgement, checkPush } from "./check-event.ts";

describe("checkPush", () => {
  const payload = { conversation_id: newId(), user_id: newId(), typing: true };

  it("accepts an event that matches the table", () => {
    checkPush("typing:dm", payload);
  });

  it("rejects an unknown event, and a payload that doesn't match", () => {
    expect(() => checkPush("typing:mail", payload)).to.throw("no table names");
    expect(() => checkPush("room:view", payload)).to.throw("no table names");
    for (const other of [{}, undefined, null, { ...payload, typing: "yes" }, { ...payload, secret: 1 }])
      expect(() => checkPush("typing:dm", other), JSON.stringify(other)).to.throw("does not allow");
  });
});

describe("checkAcknowledgement", () => {
  const failure = (code: string) => ({
    success: false,
    error: { code, message: "No.", doc_url: `/docs/errors#${code}` },
  });

  it("accepts an acknowledgement that matches the table", () => {
    checkAcknowledgement("room:leave", { success: true, data: { room_id: newId() } });
    checkAcknowledgement("room:leave", failure("NOT_A_MEMBER"));
    checkAcknowledgement("nonsense", failure("VALIDATION_ERROR"));
  });

  it("rejects data that doesn't match, also in missed events", () => {
    for (const data of [{}, undefined, { room_id: "1" }, { room_id: newId(), more: 1 }])
      expect(() => checkAcknowledgement("room:leave", { success: true, data })).to.throw("does not allow");
    const missed = { event: "room:closed", payload: { room_id: newId(), reason: "closed by the host" } };
    expect(() => checkAcknowledgement("room:sync", { success: true, data: { events: [missed] } })).to.throw('"seq"');
  });

  it("rejects a code that the event doesn't list, and anything but an envelope", () => {
    expect(() => checkAcknowledgement("room:leave", failure("SEAT_TAKEN"))).to.throw("SEAT_TAKEN");
    expect(() => checkAcknowledgement("nonsense", failure("NOT_A_MEMBER"))).to.throw("NOT_A_MEMBER");
    expect(() => checkAcknowledgement("nonsense", { success: true, data: {} })).to.throw("no table names");
    for (const answer of [undefined, null, {}, { success: true }, { ...failure("NOT_FOUND"), data: {} }])
      expect(() => checkAcknowledgement("room:leave", answer), JSON.stringify(answer)).to.throw();
  });
});

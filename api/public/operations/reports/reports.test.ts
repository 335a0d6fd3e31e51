import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

describe("/reports", () => {
  const service = useService();
  let ada: BuiltUser;
  let eve: BuiltUser;
  beforeEach(async () => {
    [ada, eve] = await Promise.all([buildUser(), buildUser()]);
  });

  const post = (path: string, body: object, { token } = ada) => service.call("post", path, { token, body });

  it("accepts a report of a user by either path, once while it is open, without naming the reporter", async () => {
    const filed = await post(`/users/${eve.id}/report`, { reason: " Spam ", details: "Every day." });
    expect(filed.status).to.equal(201);
    expect(filed.body.data).to.include({
      target_type: "user",
      target_id: eve.id,
      reason: "Spam",
      details: "Every day.",
      status: "open",
    });
    expect(JSON.stringify(filed.body)).not.to.contain(ada.id);
    const again = await post("/reports", { target_type: "user", target_id: eve.id, reason: "Spam" });
    expect([again.status, again.body.error.code]).to.deep.equal([409, "CONFLICT"]);
  });

  it("accepts a report of a room, but none of unknown targets or your own content", async () => {
    const room = await buildRoom({ host: eve });
    const report = (target: object, reporter = ada) => post("/reports", { reason: "Noise", ...target }, reporter);
    const filed = await report({ target_type: "room", target_id: room.id });
    expect([filed.status, filed.body.data.details]).to.deep.equal([201, ""]);
    for (const target_type of ["user", "room", "message", "post", "comment"])
      expect((await report({ target_type, target_id: newId() })).body.error.code, target_type).to.equal("NOT_FOUND");
    expect((await report({ target_type: "room", target_id: room.id }, eve)).body.error.code).to.equal("FORBIDDEN");
    expect((await post(`/users/${ada.id}/report`, { reason: "Me" })).body.error.code).to.equal("FORBIDDEN");
    expect((await post(`/users/${newId()}/report`, { reason: "?" })).body.error.code).to.equal("NOT_FOUND");
  });

  for (const wrong of [
    { target_type: "gift" },
    { target_type: undefined },
    { target_id: "1" },
    { target_id: undefined },
    { reason: "" },
    { reason: "   " },
    { reason: undefined },
    { reason: "x".repeat(101) },
    { reason: "two\nlines" },
    { details: "x".repeat(2001) },
    { details: "\u0000" },
    { details: null },
    { reporter_id: newId() },
    { status: "resolved" },
  ])
    it(`rejects ${JSON.stringify(wrong).slice(0, 50)}`, async () => {
      const body = { target_type: "user", target_id: eve.id, reason: "Spam", ...wrong };
      const { status, body: answer } = await post("/reports", body);
      expect([status, answer.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
    });
});

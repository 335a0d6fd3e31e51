import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { uploadPicture } from "#shared/testing/media.ts";
import { useService } from "#shared/testing/service.ts";

describe("POST /support/tickets", () => {
  const service = useService();

  const body = { subject: "I cannot log in", message: "The code\nnever arrives.", email: "Ada@Example.com" };
  const send = (options: object) => service.call("post", "/support/tickets", { body, ...options });
  const ownerOf = async (id: string) => (await query("SELECT user_id FROM support_tickets WHERE id = $1", [id]))[0];

  it("accepts a ticket without a token, and links the account if there is one", async () => {
    const stranger = await send({});
    expect(stranger.status).to.equal(201);
    expect(stranger.body.data).to.include({ ...body, email: "ada@example.com", status: "open" });
    expect(await ownerOf(stranger.body.data.id)).to.deep.equal({ user_id: null });
    const { id, token } = await buildUser();
    const user = await send({ token });
    expect(await ownerOf(user.body.data.id)).to.deep.equal({ user_id: id });
    expect((await send({ token: "no such token" })).status).to.equal(201);
  });

  it("takes attachments of users, which support alone sees", async () => {
    const ada = await buildUser();
    const picture = await uploadPicture(service, ada, "ticket");
    expect((await send({ body: { ...body, media_ids: [picture.id] } })).body.error.code).to.equal("VALIDATION_ERROR");
    const other = await buildUser();
    const taken = await send({ token: other.token, body: { ...body, media_ids: [picture.id] } });
    expect(taken.body.error.code).to.equal("NOT_FOUND");
    const sent = await send({ token: ada.token, body: { ...body, media_ids: [picture.id] } });
    expect(sent.status).to.equal(201);
    expect(sent.body.data).not.to.have.any.keys("media", "media_ids");

    const admin = await buildAdmin();
    const ticket = await service.admin("get", `/tickets/${sent.body.data.id}`, { token: admin.token });
    const [attached] = ticket.body.data.messages[0].media;
    expect(attached).to.include({ id: picture.id, kind: "image" });
    expect((await fetch(attached.url)).status).to.equal(200);
    expect((await fetch(attached.url.replace(/\?.*/, ""))).status).to.equal(404);
  });

  it("rejects an invalid ticket and stores nothing", async () => {
    const subject = newId();
    const wrong: [field: string, body: object][] = [
      ["subject", { ...body, subject: "" }],
      ["subject", { ...body, subject: "two\nlines" }],
      ["message", { subject, email: body.email, message: " " }],
      ["message", { subject, email: body.email, message: "x".repeat(5001) }],
      ["message", { subject, email: body.email, message: "a\u0000b" }],
      ["email", { ...body, subject, email: "ada" }],
      ["email", { subject, message: body.message }],
      ["status", { ...body, subject, status: "closed" }],
    ];
    for (const [field, value] of wrong) {
      const answer = await send({ body: value });
      expect(answer.body.error?.code, field).to.equal("VALIDATION_ERROR");
      expect(answer.body.error.details.map((detail: { field: string }) => detail.field)).to.include(field);
    }
    expect(await query("SELECT 1 FROM support_tickets WHERE subject = $1", [subject])).to.deep.equal([]);
  });
});

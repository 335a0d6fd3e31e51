import { once } from "node:events";
import { copyFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { expect } from "chai";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { complete, filesOf, makePicture, untilFiles } from "#shared/testing/media.ts";
import { mediaFolder, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("interrupted transfers", () => {
  const { call } = useService();
  let ada: BuiltUser;
  before(async () => {
    ada = await buildUser();
  });
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await call(method, path, { token: ada.token, body });
    return { status: answer.status, data: answer.body.data };
  };

  it("leave nothing if the last byte comes when the medium is deleted", async () => {
    const body = { purpose: "post", content_type: "image/jpeg", bytes: 10 };
    const { id, upload: to } = (await ask("post", "/media", body)).data;
    const sending = request(to.url, { method: "PUT", headers: { ...to.headers, "content-length": 10 } });
    sending.write("first");
    await until("the first bytes are there", async () => (await filesOf(id)).length === 1);
    expect((await ask("delete", `/media/${id}`)).status).to.equal(200);
    await untilFiles(id, 0);
    sending.end("later");
    const [response] = await once(sending, "response");
    expect(response.statusCode).to.equal(404);
    expect(await filesOf(id)).to.deep.equal([]);
  });

  it("leave nothing of a transfer in which a process was killed", async () => {
    const picture = await makePicture();
    const body = { purpose: "post", content_type: "image/jpeg", bytes: picture.length };
    const { id, upload: to } = (await ask("post", "/media", body)).data;
    const sending = request(to.url, { method: "PUT", headers: { ...to.headers, "content-length": picture.length } });
    sending.on("error", () => {});
    sending.write("first");
    await until("the first bytes are there", async () => (await filesOf(id)).length === 1);
    const [begun] = await filesOf(id);
    // A killed process deletes no file: it stays under its name, which no other transfer has.
    const left = begun!.replace(/[0-9a-f]{12}(?=\.part$)/, "0".repeat(12));
    expect(left).not.to.equal(begun);
    await copyFile(join(mediaFolder, begun!), join(mediaFolder, left));
    sending.destroy();
    await until("the transfer has ended", async () => (await filesOf(id)).join() === left);

    const sent = await fetch(to.url, { method: "PUT", headers: to.headers, body: new Uint8Array(picture) });
    expect(sent.status).to.equal(204);
    expect((await complete(call, ada.token, id)).state).to.equal("ready");
    await untilFiles(id, 3);
    expect(await filesOf(id)).not.to.include(left);
  });
});

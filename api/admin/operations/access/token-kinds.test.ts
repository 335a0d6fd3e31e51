import { expect } from "chai";
import jwt from "jsonwebtoken";
import { adminTestSecret, testSecret } from "#shared/testing/access/access-tokens.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket, joinNative } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { clientOf, useService } from "#shared/testing/service.ts";
import { catalogueApi } from "../../../catalogue-api.ts";

/** Signs a token of one kind of caller, with claims and keys of the other. */
const sign = (sub: string, sid: string, typ: string, aud: string | string[], secret: string) =>
  jwt.sign({ sub, sid, typ, aud, iss: "hubbub" }, secret, { expiresIn: 900 });

const adminTokens = ({ id, sessionId, token }: BuiltAdmin): [name: string, token: string][] => [
  ["an admin token", token],
  ["an admin token for users", sign(id, sessionId, "admin_access", "user", adminTestSecret)],
  ["an admin token that claims to be a user's", sign(id, sessionId, "access", "user", adminTestSecret)],
  ["an admin token for both", sign(id, sessionId, "access", ["admin", "user"], adminTestSecret)],
  ["a user's key with the kind of an admin token", sign(id, sessionId, "admin_access", "user", testSecret)],
];

const userTokens = ({ id, sessionId, token }: BuiltUser, admin: BuiltAdmin): [name: string, token: string][] => [
  ["an access token", token],
  ["an access token for administrators", sign(id, sessionId, "access", "admin", testSecret)],
  [
    "an access token that claims to be an admin's",
    sign(admin.id, admin.sessionId, "admin_access", "admin", testSecret),
  ],
  ["an admin token for both", sign(admin.id, admin.sessionId, "admin_access", ["admin", "user"], adminTestSecret)],
  ["the kind of an access token", sign(admin.id, admin.sessionId, "access", "admin", adminTestSecret)],
  ["a user as the subject", sign(id, sessionId, "admin_access", "admin", adminTestSecret)],
];

describe("tokens of administrators and users", () => {
  const service = useService();
  afterEach(closeClients);

  it("are refused at every door of users when they are an administrator's", async () => {
    const [admin, room] = [await buildAdmin(), await buildRoom()];
    for (const [name, token] of adminTokens(admin)) {
      const rest = await service.call("get", "/users/me", { token });
      const catalogue = await clientOf(service.url, catalogueApi())("get", "/orders", { token });
      const socket = await connectSocket(service.url, token).then(
        () => "connected",
        (error: { data?: { code: string } }) => error.data?.code,
      );
      const native = await joinNative(service.url, token, { room_id: room.id }).then(
        () => "joined",
        (error: Error) => error.message,
      );

      expect([rest.status, rest.body.error.code], name).to.deep.equal([401, "UNAUTHENTICATED"]);
      expect(catalogue.status, name).to.equal(401);
      expect(socket, name).to.equal("UNAUTHENTICATED");
      expect(native, name).to.match(/UNAUTHENTICATED|access token/);
    }
  });

  it("are refused at the admin API when they are a user's", async () => {
    const [admin, user] = [await buildAdmin(), await buildUser()];
    for (const [name, token] of userTokens(user, admin)) {
      const { status, body } = await service.admin("get", "/me", { token });

      expect([status, body.error.code], name).to.deep.equal([401, "UNAUTHENTICATED"]);
    }
  });
});

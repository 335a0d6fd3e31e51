import { expect } from "chai";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { dropPushTokens, pushTargets } from "./devices.queries.ts";
import { devicesMax, registerDevice } from "./register-device.ts";

const build = async (): Promise<UserPrincipal> => callerOf(await buildUser());
const device = (push_token = `token-${newId()}`, device_uid = newId()) =>
  ({ platform: "android", device_uid, push_token }) as const;
const tokensOf = async (...people: UserPrincipal[]) =>
  (await pushTargets(people.map(({ userId }) => userId))).map(({ push_token }) => push_token);

describe("devices", () => {
  useDatabase();

  it("receive pushes, and keep one entry with the new token when registered again", async () => {
    const ada = await build();
    const first = device("first-token");
    const { device: made } = await registerDevice(ada, first);
    expect(made).to.include({ platform: "android", device_uid: first.device_uid });
    expect(await pushTargets([ada.userId])).to.deep.equal([
      { device_id: made.id, user_id: ada.userId, platform: "android", push_token: "first-token" },
    ]);
    const again = await registerDevice(ada, { ...first, platform: "ios", push_token: "second-token" });
    expect(again).to.deep.equal({ device: { ...made, platform: "ios" }, created: false });
    expect(await tokensOf(ada)).to.deep.equal(["second-token"]);
    await registerDevice(ada, device("tablet"));
    expect(await tokensOf(ada)).to.deep.equal(["tablet", "second-token"]);
    await dropPushTokens(["tablet", "nobody's"]);
    await dropPushTokens([]);
    expect(await tokensOf(ada)).to.deep.equal(["second-token"]);
  });

  it("change owners with their token", async () => {
    const [ada, bob] = [await build(), await build()];
    const phone = device();
    await registerDevice(ada, phone);
    await registerDevice(bob, phone);
    expect([await tokensOf(ada), await tokensOf(bob)]).to.deep.equal([[], [phone.push_token]]);
    const reinstalled = device(phone.push_token);
    await registerDevice(bob, reinstalled);
    expect(await query("SELECT device_uid FROM user_devices WHERE user_id = $1", [bob.userId])).to.deep.equal([
      { device_uid: reinstalled.device_uid },
    ]);
  });

  it("receive nothing after the session has ended", async () => {
    const ada = await build();
    await registerDevice(ada, device());
    expect(await tokensOf(ada)).to.have.length(1);
    await query("UPDATE sessions SET revoked_at = now() WHERE id = $1", [ada.sessionId]);
    expect(await tokensOf(ada)).to.deep.equal([]);
  });

  it("have one owner for each token under concurrent registrations", async () => {
    const people = await Promise.all(Array.from({ length: 8 }, build));
    const phone = device();
    await Promise.all([...people, ...people].map((person) => registerDevice(person, phone)));
    expect(await tokensOf(...people)).to.deep.equal([phone.push_token]);
  });

  it("are kept for the newest installations only", async () => {
    const ada = await build();
    const devices = Array.from({ length: devicesMax + 2 }, () => device());
    for (const one of devices) await registerDevice(ada, one);
    const kept = devices.slice(2).map(({ push_token }) => push_token);
    expect(await tokensOf(ada)).to.deep.equal(kept.toReversed());
  });
});

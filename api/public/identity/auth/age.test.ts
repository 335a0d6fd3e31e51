import { expect } from "chai";
import { type AgeFeature, ageFeatures } from "#shared/contracts/age-rights.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { buildReseller, buildTopUp, orderOf } from "#shared/testing/catalogue.ts";
import { closeClients, connectSocket, joinNative } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { clientOf, useService } from "#shared/testing/service.ts";
import { catalogueApi } from "../../../catalogue-api.ts";

/** Returns the date of birth of a person who is so many years old, and some days. */
const bornYearsAgo = (years: number): string => {
  const day = new Date(clock.now() - daysMs(10));
  day.setUTCFullYear(day.getUTCFullYear() - years);
  return day.toISOString().slice(0, 10);
};

const signal = (lower: number | null, upper: number | null, consent = "not_needed") => ({
  source: "apple",
  range: { lower, upper },
  method: "guardian_declared",
  consent,
});

describe("ages", () => {
  const service = useService();
  afterEach(closeClients);
  afterEach(() =>
    changeSettings(adminCaller(), {
      minimum_ages: [],
      under_13_may: [...ageFeatures],
      from_13_to_15_may: [...ageFeatures],
      from_16_to_17_may: [...ageFeatures],
    }),
  );

  const send = (token: string, body: object) => service.call("put", "/users/me/age-signal", { token, body });
  /** Logs in again: access tokens name the band. */
  const tokenOf = async ({ username: identifier, password }: BuiltUser): Promise<string> => {
    const { status, body } = await service.call("post", "/auth/login", { body: { identifier, password } });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data.accessToken;
  };
  const codeOf = async (token: string, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token, ...(body && { body }) });
    return answer.status < 300 ? "ok" : answer.body.error.code;
  };

  describe("below the minimum of a country", () => {
    beforeEach(() => changeSettings(adminCaller(), { minimum_ages: ["ES:16", "KR:14"] }));

    const register = async (mobile: string | undefined, years: number) => {
      const username = `age${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
      const body = {
        full_name: "Ada Lovelace",
        username,
        email: `${username}@example.com`,
        password: "correct horse battery",
        confirm_password: "correct horse battery",
        terms_accepted: true,
        date_of_birth: bornYearsAgo(years),
        ...(mobile && { mobile }),
      };
      const answer = await service.call("post", "/auth/register", { body });
      return answer.status < 300 ? "ok" : answer.body.error.details[0].message;
    };
    const spanish = () => `+346${String(Math.floor(Math.random() * 1e8)).padStart(8, "0")}`;

    it("are rejected at registration, by the country of the number", async () => {
      const seen = [await register(spanish(), 15), await register(spanish(), 16), await register(undefined, 13)];
      expect(seen).to.deep.equal(["you must be at least 16 years old", "ok", "ok"]);
    });

    it("are rejected when a profile is completed, by its country", async () => {
      const ada = await buildUser({ date_of_birth: null });
      const change = (body: object) => codeOf(ada.token, "patch", "/users/me", body);
      expect(await change({ date_of_birth: bornYearsAgo(15), country: "ES" })).to.equal("VALIDATION_ERROR");
      expect(await change({ country: "KR" })).to.equal("ok");
      expect(await change({ date_of_birth: bornYearsAgo(13) })).to.equal("VALIDATION_ERROR");
      expect(await change({ date_of_birth: bornYearsAgo(14) })).to.equal("ok");
      expect(await change({ country: "ES" })).to.equal("VALIDATION_ERROR");
      expect(await change({ country: null })).to.equal("ok");
    });
  });

  describe("of bands", () => {
    /** An operation of each feature, which is refused for its input if it isn't for the age. */
    const probes: Record<AgeFeature, readonly [string, string]> = {
      gifts: ["post", `/rooms/${crypto.randomUUID()}/gifts`],
      messages: ["post", "/conversations"],
      posts: ["post", "/posts"],
      purchases: ["post", "/payments/orders"],
      rooms: ["post", "/rooms"],
    };
    const refusedTo = async (token: string) => {
      const refused = [];
      for (const feature of ageFeatures) {
        const [method, path] = probes[feature];
        if ((await codeOf(token, method, path, {})) === "AGE_RESTRICTED") refused.push(feature);
      }
      return refused;
    };

    it("may do what the settings of the band say", async () => {
      await changeSettings(adminCaller(), { from_13_to_15_may: ["posts", "rooms"], from_16_to_17_may: ["posts"] });
      const seen = [];
      for (const years of [13, 15, 16, 17, 18])
        seen.push(await refusedTo(await tokenOf(await buildUser({ date_of_birth: bornYearsAgo(years) }))));
      const [young, old] = [
        ["gifts", "messages", "purchases"],
        ["gifts", "messages", "purchases", "rooms"],
      ];
      expect(seen).to.deep.equal([young, young, old, old, []]);
    });

    it("hold for the keys of the catalogue, also those from before", async () => {
      const { owner, token } = await buildReseller();
      const catalogue = clientOf(service.url, catalogueApi());
      const topUp = await buildTopUp();
      const seen = async () => {
        const order = await catalogue("post", "/top-up/make-order", { token, body: orderOf(topUp) });
        const list = await catalogue("get", "/orders", { token });
        return [order.body.errors, list.status];
      };

      await changeSettings(adminCaller(), { from_13_to_15_may: [] });
      expect(await seen()).to.deep.equal([undefined, 200]);
      await send(owner.token, signal(13, 15));
      expect(await seen()).to.deep.equal(["You can't do this at your age.", 200]);
      await send(owner.token, signal(13, 15, "withdrawn"));
      const [order, list] = await seen();
      expect(order).to.match(/^Your account is paused/);
      expect(list).to.equal(422);
    });

    it("follow the store's signal rather than the date of birth", async () => {
      await changeSettings(adminCaller(), { from_13_to_15_may: [], from_16_to_17_may: [] });
      const ada = await buildUser({ date_of_birth: bornYearsAgo(30) });
      const answer = await send(ada.token, signal(13, 15));
      expect(answer.body.data).to.deep.equal({ ...signal(13, 15), is_frozen: false, band: "from_13_to_15" });
      for (const token of [ada.token, await tokenOf(ada)])
        expect(await refusedTo(token), "old tokens, too").to.deep.equal([...ageFeatures]);
      expect((await send(ada.token, signal(18, null))).body.data.band).to.equal(null);
      expect(await refusedTo(await tokenOf(ada))).to.deep.equal([]);
    });

    it("hold for the events of sockets and native clients, too", async () => {
      await changeSettings(adminCaller(), { from_13_to_15_may: [] });
      const ada = await buildUser({ date_of_birth: bornYearsAgo(14) });
      const token = await tokenOf(ada);
      const room = await buildRoom();
      const socket = await connectSocket(service.url, token);
      const native = await joinNative(service.url, token, { room_id: room.id });
      const typing = { conversation_id: crypto.randomUUID() };
      for (const client of [socket, native])
        expect((await client.ask("typing:dm", typing)).error.code).to.equal("AGE_RESTRICTED");
      expect((await socket.ask("room:join", { room_id: room.id })).success).to.equal(true);
    });
  });

  describe("that freeze an account", () => {
    const doors = ["/rooms", "/wallet", "/posts/feed", "/users/me/identities"];

    it("withdrawn consent closes every door until it is given again", async () => {
      const ada = await buildUser();
      const socket = await connectSocket(service.url, ada.token);
      const frozen = await send(ada.token, signal(13, 15, "withdrawn"));
      expect(frozen.body.data).to.deep.include({ is_frozen: true, band: null });
      await socket.inbox.next("disconnect");
      expect(await codeOf(ada.token, "get", "/users/me")).to.equal("UNAUTHENTICATED");

      const token = await tokenOf(ada);
      for (const path of doors) expect(await codeOf(token, "get", path), path).to.equal("CONSENT_REQUIRED");
      expect(await codeOf(token, "post", "/posts", { content: "Hi" })).to.equal("CONSENT_REQUIRED");
      expect(await codeOf(token, "get", "/users/me")).to.equal("ok");
      const refused = await connectSocket(service.url, token).catch((error: unknown) => String(error));
      expect(String(refused)).to.match(/CONSENT_REQUIRED|paused/);
      const room = await buildRoom();
      const native = await joinNative(service.url, token, { room_id: room.id }).catch((error: unknown) =>
        String(error),
      );
      expect(String(native)).to.include("CONSENT_REQUIRED");

      expect((await send(token, signal(13, 15, "given"))).body.data).to.include({ is_frozen: false });
      expect(await codeOf(await tokenOf(ada), "get", "/wallet")).to.equal("ok");
    });

    it("a store that says the user is too young does, too", async () => {
      await changeSettings(adminCaller(), { minimum_ages: ["ES:16"] });
      const [ada, bob] = [await buildUser(), await buildUser()];
      for (const [{ token }, country] of [
        [ada, "ES"],
        [bob, "IN"],
      ] as const)
        expect(await codeOf(token, "patch", "/users/me", { country })).to.equal("ok");
      expect((await send(ada.token, signal(13, 15))).body.data.is_frozen).to.equal(true);
      expect((await send(bob.token, signal(13, 15))).body.data.is_frozen).to.equal(false);
    });

    it("rejects what is no signal", async () => {
      const { token } = await buildUser();
      const wrong = [
        {},
        signal(15, 13),
        signal(-1, 5),
        { ...signal(13, 15), source: "me" },
        { ...signal(13, 15), consent: "maybe" },
        { ...signal(13, 15), range: "13-15" },
      ];
      for (const body of wrong)
        expect((await send(token, body)).body.error?.code, JSON.stringify(body)).to.equal("VALIDATION_ERROR");
    });
  });
});

import { expect } from "chai";
import type { AgeProtection } from "#shared/contracts/age-rights.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { settingDefault } from "#shared/domain/base/settings/settings.ts";
import { connectionOpened } from "#shared/domain/identity/presence/presence.ts";
import { beginFriendship } from "#shared/domain/identity/relations/friendships.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { addPoints } from "#shared/domain/social/leaderboards/scores.ts";
import { weekOf } from "#shared/domain/social/leaderboards/week.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { allPages } from "#shared/testing/all-pages.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { adminCaller, callerOf, outcomeOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

const bornYearsAgo = (years: number): string => {
  const day = new Date(clock.now() - daysMs(10));
  day.setUTCFullYear(day.getUTCFullYear() - years);
  return day.toISOString().slice(0, 10);
};

const protect = (...what: AgeProtection[]) =>
  changeSettings(adminCaller(), { under_13_protections: what, from_13_to_15_protections: what });

describe("what the settings protect minors from", () => {
  const service = useService();
  afterEach(closeClients);
  afterEach(() =>
    changeSettings(adminCaller(), {
      under_13_protections: settingDefault("under_13_protections"),
      from_13_to_15_protections: settingDefault("from_13_to_15_protections"),
      from_16_to_17_protections: settingDefault("from_16_to_17_protections"),
    }),
  );

  const aged = (years: number | null) => buildUser({ date_of_birth: years === null ? null : bornYearsAgo(years) });
  const call = async ({ token }: BuiltUser, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token, ...(body && { body }) });
    return { code: answer.status < 300 ? "ok" : answer.body.error.code, data: answer.body.data };
  };
  const befriend = (a: BuiltUser, b: BuiltUser) => inTransaction((tx) => beginFriendship(tx, a.id, b.id));
  const signal = (user: BuiltUser, lower: number, upper: number | null, consent = "not_needed") =>
    call(user, "put", "/users/me/age-signal", {
      source: "apple",
      range: { lower, upper },
      method: "guardian_declared",
      consent,
    });
  const open = (from: BuiltUser, to: BuiltUser) => call(from, "post", "/conversations", { peer_id: to.id });
  const write = (from: BuiltUser, id: string) => call(from, "post", `/conversations/${id}/messages`, { body: "Hi" });
  const outcomeIn = (items: { id?: string; user?: { id: string } }[], { id }: BuiltUser) =>
    items.some((item) => (item.user ?? item).id === id) ? "ok" : "none";
  const listed = async (viewer: BuiltUser, path: string, user: BuiltUser) =>
    outcomeIn((await call(viewer, "get", path)).data.items, user);
  const score = ({ id: subjectId }: BuiltUser) =>
    inTransaction((tx) => {
      const at = new Date(clock.now()).toISOString();
      const week = weekOf(clock.now()).monday;
      return addPoints(tx, [{ scope: "gift_receivers", week, subjectId, points: 1e9, at }]);
    });

  /** What people who aren't friends may try. Each returns "ok", "none" if they don't find the user, or a code. */
  const doors = {
    message: async (stranger: BuiltUser, user: BuiltUser) => (await open(stranger, user)).code,
    group: async (stranger: BuiltUser, user: BuiltUser) =>
      (await call(stranger, "post", "/conversations", { kind: "group", name: "Owls", user_ids: [user.id] })).code,
    member: async (stranger: BuiltUser, user: BuiltUser) => {
      const friend = await buildUser();
      const group = { kind: "group", name: "Owls", user_ids: [friend.id] };
      const { id } = (await call(stranger, "post", "/conversations", group)).data;
      return (await call(stranger, "post", `/conversations/${id}/members`, { user_ids: [user.id] })).code;
    },
    gift: async (stranger: BuiltUser, user: BuiltUser) => {
      const [gift, room] = await Promise.all([buildGift({ price: 1 }), buildRoom()]);
      const order = { room_id: room.id, gift_id: gift.id, recipient_id: user.id, quantity: 1 };
      return outcomeOf(transferGift(callerOf(stranger), order));
    },
    search: (stranger: BuiltUser, user: BuiltUser) => listed(stranger, `/users/search?q=${user.username}`, user),
    suggestions: async (stranger: BuiltUser, user: BuiltUser) =>
      outcomeIn(await allPages(service.call, "/users/search", stranger.token), user),
    online: (stranger: BuiltUser, user: BuiltUser) => listed(stranger, "/users/online?limit=100", user),
    leaderboard: (stranger: BuiltUser, user: BuiltUser) =>
      listed(stranger, "/leaderboards?scope=gift_receivers&limit=100", user),
    profile: async (stranger: BuiltUser, user: BuiltUser) => (await call(stranger, "get", `/users/${user.id}`)).code,
  };
  const outcomes = async (stranger: BuiltUser, user: BuiltUser) => {
    const seen: Record<string, string> = {};
    for (const [door, attempt] of Object.entries(doors)) seen[door] = await attempt(stranger, user);
    return seen;
  };

  const every = (code: string) => Object.fromEntries(Object.keys(doors).map((door) => [door, code]));
  const messages = { message: "FORBIDDEN", group: "FORBIDDEN", member: "FORBIDDEN" };
  const gifts = { gift: "FORBIDDEN" };
  const finding = { search: "none", suggestions: "none", online: "none", leaderboard: "none" };

  it("is closed at each door by the age, and open to adults and people whose age isn't known", async () => {
    const stranger = await buildUser({ coins: 100 });
    const table = {
      12: { ...messages, ...gifts, ...finding },
      13: { ...messages, ...finding },
      15: { ...messages, ...finding },
      16: {},
      18: {},
      unknown: {},
    };
    for (const [years, closed] of Object.entries(table)) {
      const user = await aged(years === "unknown" ? null : Number(years));
      await connectionOpened(user.id, newId());
      await score(user);
      expect(await outcomes(stranger, user), years).to.deep.equal({ ...every("ok"), ...closed });
    }
  });

  it("follows the settings at once", async () => {
    const [stranger, user] = [await buildUser({ coins: 100 }), await aged(14)];
    await connectionOpened(user.id, newId());
    await protect();
    await score(user);
    expect(await outcomes(stranger, user)).to.deep.equal(every("ok"));
    await protect("gifts");
    expect(await doors.gift(stranger, user)).to.equal("FORBIDDEN");
    await protect("search");
    const other = await buildUser({ coins: 100 });
    expect(await outcomes(other, user)).to.deep.equal({ ...every("ok"), ...finding });
  });

  it("follows what the store says, also while the account is frozen", async () => {
    const stranger = await buildUser();
    const [young, old, frozen] = [await aged(30), await aged(14), await aged(14)];
    await signal(young, 13, 15);
    await signal(old, 18, null);
    await signal(frozen, 13, 15, "withdrawn");
    const seen = [];
    for (const user of [young, old, frozen])
      seen.push([await doors.message(stranger, user), await doors.search(stranger, user)]);
    expect(seen).to.deep.equal([
      ["FORBIDDEN", "none"],
      ["ok", "ok"],
      ["FORBIDDEN", "none"],
    ]);
  });

  it("does not hold for friends, except gifts", async () => {
    const [friend, user] = [await buildUser({ coins: 100 }), await aged(12)];
    await befriend(friend, user);
    await connectionOpened(user.id, newId());
    const seen = await outcomes(friend, user);
    expect(seen).to.deep.equal({ ...every("ok"), ...gifts, suggestions: seen.suggestions, leaderboard: "none" });
  });

  it("lets strangers answer what a minor wrote first, but not write in what they began themselves", async () => {
    const [stranger, other, user] = [await buildUser(), await buildUser(), await aged(14)];
    await protect();
    const begun = (await open(stranger, user)).data.id;
    expect((await write(user, begun)).code).to.equal("ok");
    await protect("stranger_messages");
    expect((await write(stranger, begun)).code).to.equal("FORBIDDEN");
    expect((await write(user, begun)).code).to.equal("ok");

    const own = (await open(user, other)).data.id;
    expect((await open(other, user)).data.id).to.equal(own);
    expect((await write(other, own)).code).to.equal("FORBIDDEN");
    await write(user, own);
    expect((await write(other, own)).code).to.equal("ok");
  });

  it("shows typing only to those who may write", async () => {
    const [stranger, user] = [await buildUser(), await aged(14)];
    await protect();
    const { id } = (await open(stranger, user)).data;
    await protect("stranger_messages");
    const socket = await connectSocket(service.url, stranger.token);
    const answer = await socket.ask("typing:dm", { conversation_id: id, typing: true });
    expect(answer.error.code).to.equal("FORBIDDEN");
  });

  it("leaves out of a leaderboard what was earned before", async () => {
    const [stranger, user] = [await buildUser(), await aged(14)];
    await protect();
    await score(user);
    expect(await doors.leaderboard(stranger, user)).to.equal("ok");
    await protect("search");
    expect(await doors.leaderboard(stranger, user)).to.equal("none");
  });
});

import { expect } from "chai";
import { TokenVerifier } from "livekit-server-sdk";
import type { VoiceRight } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { FakeLiveKit } from "#shared/testing/fakes/livekit/fake-livekit.ts";
import { callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { TestRoom } from "#shared/testing/test-room.ts";
import { until } from "#shared/testing/until.ts";
import { issueVoiceToken } from "./issue-voice-token.ts";
import { deleteMediaRoom, mediaRoomOf } from "./media-server.ts";
import { voiceTokenSeconds } from "./mint-voice-token.ts";
import { configureVoice } from "./voice.config.ts";
import { pruneGrants } from "./voice.queries.ts";
import { queueVoiceSync } from "./voice-sync.ts";
import { startVoiceWorker } from "./voice-worker.ts";

describe("voice rights on the media server", () => {
  useService();
  let livekit: FakeLiveKit;
  let room: TestRoom;
  let user: UserPrincipal;
  let stopWorker: (() => Promise<void>) | undefined;

  const timings = { callTimeoutMs: 150, pollMs: 20, retryMaxMs: 100, leaseMs: 2000, watchEveryMs: 50 };
  /** Without the watch behind it, so that each change has to get through by itself. */
  const unwatched = { ...timings, watchEveryMs: 60_000 };
  const startWorker = () => {
    stopWorker = startVoiceWorker(room);
  };
  const newUser = async (): Promise<UserPrincipal> => callerOf(await buildUser({ full_name: "Grace Hopper" }));
  const connect = async (caller = user) => livekit.connect((await issueVoiceToken(room, caller, room.id)).token);
  const connected = (caller = user) => livekit.participant(mediaRoomOf(room.id), caller.userId);
  const mayPublish = () => connected()?.permission.canPublish ?? false;
  const settled = async () => {
    const [row] = await query<{ due: number }>(
      "SELECT count(*) AS due FROM voice_grants WHERE room_id = $1 AND media_right IS NULL",
      [room.id],
    );
    return row?.due === 0;
  };

  beforeEach(async () => {
    livekit = await FakeLiveKit.start();
    configureVoice(livekit.credentials, timings);
    room = new TestRoom();
    user = await newUser();
    await query(
      "INSERT INTO rooms (id, host_id, name, category, language, seat_count) VALUES ($1, $2, 'r', 'c', 'en', 8)",
      [room.id, user.userId],
    );
  });
  afterEach(async () => {
    await stopWorker?.();
    stopWorker = undefined;
    configureVoice(undefined);
    await livekit.stop();
    await query("DELETE FROM voice_grants");
    await query("DELETE FROM voice_watches");
  });

  describe("tokens", () => {
    const claimsOf = async (right: VoiceRight) => {
      await room.change(user.userId, right);
      const { token } = await issueVoiceToken(room, user, room.id);
      return new TokenVerifier(livekit.credentials.apiKey, livekit.credentials.apiSecret).verify(token);
    };
    const everyGrant = {
      roomJoin: true,
      canSubscribe: true,
      canPublishData: false,
      canUpdateOwnMetadata: false,
      canSubscribeMetrics: false,
      canManageAgentSession: false,
      hidden: false,
      recorder: false,
      agent: false,
      roomAdmin: false,
      roomCreate: false,
      roomList: false,
      roomRecord: false,
      ingressAdmin: false,
    };

    it("let a seated member send only audio", async () => {
      const { sub, name, video, exp = 0, nbf = 0 } = await claimsOf("publish");
      expect(video).to.deep.equal({
        ...everyGrant,
        room: `room:${room.id}`,
        canPublish: true,
        canPublishSources: ["microphone"],
      });
      expect({ sub, name }).to.deep.equal({ sub: user.userId, name: "Grace Hopper" });
      expect(exp - nbf).to.be.within(voiceTokenSeconds, voiceTokenSeconds + 1);
    });

    it("let a listener hear only", async () => {
      const { video } = await claimsOf("listen");
      expect(video).to.deep.equal({
        ...everyGrant,
        room: `room:${room.id}`,
        canPublish: false,
        canPublishSources: [],
      });
    });

    it("come with the address for clients", async () => {
      await room.change(user.userId, "listen");
      const { wsUrl, roomName } = await issueVoiceToken(room, user, room.id);
      expect({ wsUrl, roomName }).to.deep.equal({ wsUrl: livekit.credentials.url, roomName: `room:${room.id}` });
      configureVoice({ ...livekit.credentials, url: "https://voice.example.com/" });
      expect((await issueVoiceToken(room, user, room.id)).wsUrl).to.equal("wss://voice.example.com");
    });

    it("are not issued to users outside the room, and leave no trace", async () => {
      const failure = await issueVoiceToken(room, user, room.id).catch((error: unknown) => error);
      expect(failure).to.include({ code: "NOT_A_MEMBER" });
      expect(await query("SELECT 1 FROM voice_grants WHERE room_id = $1", [room.id])).to.deep.equal([]);
    });

    it("are not to be had without credentials", async () => {
      configureVoice(undefined);
      const failure = await issueVoiceToken(room, user, room.id).catch((error: unknown) => error);
      expect(failure).to.include({ code: "VOICE_NOT_CONFIGURED" });
    });
  });

  describe("after a change", () => {
    beforeEach(() => configureVoice(livekit.credentials, unwatched));

    it("are sent at once, with every permission named", async () => {
      startWorker();
      await room.change(user.userId, "listen");
      await connect();
      await until("the first sync is over", settled);
      await room.change(user.userId, "publish");
      await until("the user may speak", mayPublish);
      expect(connected()?.permission.canPublishSources).to.deep.equal(["MICROPHONE"]);
      await room.change(user.userId, "listen");
      await until("the user may not speak", () => !mayPublish());
      expect(connected()?.permission).to.deep.equal({ canSubscribe: true });
    });

    it("reach the media server without waiting for the worker to look", async () => {
      configureVoice(livekit.credentials, { ...unwatched, pollMs: 60_000 });
      await room.change(user.userId, "publish");
      await connect();
      startWorker();
      await until("the first sync is over", settled);
      await room.change(user.userId, "listen");
      await until("the user may not speak", () => !mayPublish());
    });

    it("remove a kicked user, also with older tokens", async () => {
      startWorker();
      await room.change(user.userId, "publish");
      await connect();
      await until("the first sync is over", settled);
      await room.change(user.userId, "none");
      await until("the user is out", () => !connected());
      const [call] = livekit.callsOf("RemoveParticipant", user.userId);
      expect(Number(call?.revokeTokenTs)).to.be.within(Date.now() / 1000 - 60, Date.now() / 1000);
      const holders = () => query("SELECT 1 FROM voice_grants WHERE user_id = $1", [user.userId]);
      await until("the user is no longer a holder", async () => (await holders()).length === 0);
    });

    it("are sent again until the media server has accepted them", async () => {
      startWorker();
      await room.change(user.userId, "publish");
      await connect();
      await until("the first sync is over", settled);
      livekit.fail(5);
      await room.change(user.userId, "listen");
      await until("the user may not speak", () => !mayPublish());
      expect(livekit.calls.filter(({ status }) => status === 503).length).to.equal(5);
    });

    it("are sent again when a call hangs", async () => {
      startWorker();
      await room.change(user.userId, "publish");
      await connect();
      await until("the first sync is over", settled);
      livekit.hang(2);
      await room.change(user.userId, "listen");
      await until("the user may not speak", () => !mayPublish(), 1500);
      expect(livekit.calls.filter(({ status }) => status === undefined).length).to.equal(2);
    });

    it("are requested again while the actor is unreachable", async () => {
      startWorker();
      await room.change(user.userId, "publish");
      await connect();
      await until("the first sync is over", settled);
      room.outOfReach = true;
      await room.change(user.userId, "listen");
      await until("a try has failed", async () => {
        const [row] = await query<{ attempts: number }>("SELECT attempts FROM voice_grants WHERE user_id = $1", [
          user.userId,
        ]);
        return row && row.attempts > 1;
      });
      room.outOfReach = false;
      await until("the user may not speak", () => !mayPublish());
    });

    it("are sent by the next worker if none was running", async () => {
      await room.change(user.userId, "publish");
      await connect();
      await room.change(user.userId, "listen");
      expect(mayPublish()).to.equal(true);
      startWorker();
      await until("the user may not speak", () => !mayPublish());
    });

    it("cause no work for users without a token, or when the change is rolled back", async () => {
      // No call is made again because the machine was busy.
      configureVoice(livekit.credentials, { ...unwatched, callTimeoutMs: 3000, leaseMs: 6000 });
      startWorker();
      await room.change(user.userId, "publish");
      const holder = await newUser();
      await room.change(holder.userId, "publish");
      await connect(holder);
      await until("the first sync is over", settled);
      const before = livekit.callsOf("UpdateParticipant").length;
      await inTransaction(async (tx) => {
        await queueVoiceSync(tx, room.id, [user.userId, holder.userId]);
        throw new Error("rolled back");
      }).catch(() => undefined);
      await room.change(holder.userId, "listen");
      await until("another change is through", () => connected(holder)?.permission.canPublish !== true);
      await until("it is settled", settled);
      expect(livekit.callsOf("UpdateParticipant", user.userId)).to.deep.equal([]);
      expect(livekit.callsOf("UpdateParticipant").length).to.equal(before + 1);
    });

    it("end as the last change says when it comes during the work on the one before", async () => {
      configureVoice(livekit.credentials, { ...unwatched, callTimeoutMs: 3000, leaseMs: 6000 });
      startWorker();
      await room.change(user.userId, "listen");
      await connect();
      await until("the first sync is over", settled);
      const inWork = async (right: VoiceRight) => {
        const calls = livekit.calls.length;
        const release = livekit.hold();
        await room.change(user.userId, right);
        await until("the change is in work", () => livekit.calls.length > calls);
        return release;
      };
      const releaseGrant = await inWork("publish");
      await room.change(user.userId, "listen");
      releaseGrant();
      await until("all is carried over", settled);
      expect(mayPublish()).to.equal(false);

      const releaseRemoval = await inWork("none");
      await room.change(user.userId, "listen");
      releaseRemoval();
      const listens = () =>
        query("SELECT 1 FROM voice_grants WHERE user_id = $1 AND media_right = 'listen'", [user.userId]);
      await until(
        "the user is out, and a holder who may listen",
        async () => !connected() && (await listens()).length === 1,
      );
    });

    it("end as the last change says, whatever comes in between", async () => {
      startWorker();
      await room.change(user.userId, "publish");
      const people = [user, await newUser(), await newUser()];
      const last = new Map<string, VoiceRight>();
      const rights: VoiceRight[] = ["publish", "listen", "publish", "none"];
      for (const person of people) {
        await room.change(person.userId, "publish");
        await connect(person);
      }
      for (let round = 0; round < 60; round += 1) {
        const person = people[round % people.length] ?? user;
        const right = rights[Math.floor(Math.random() * rights.length)] ?? "none";
        if (round % 9 === 0) livekit.fail(2);
        if (round % 25 === 0) livekit.hang(1);
        last.set(person.userId, right);
        await room.change(person.userId, right);
        if (right !== "none" && !connected(person)) await connect(person);
      }
      const fits = (person: UserPrincipal) => {
        const right = last.get(person.userId);
        const there = connected(person);
        return right === "none" ? !there : (there?.permission.canPublish ?? false) === (right === "publish");
      };
      // A user removed because of an outdated change must reconnect, as clients do.
      await until("every right is the last one", async () => {
        if (!(await settled())) return false;
        for (const person of people)
          if (last.get(person.userId) !== "none" && !connected(person)) await connect(person);
        return people.every(fits);
      });
    });
  });

  describe("of users who reconnect", () => {
    it("are cut down when a token from before is used after the seat is lost", async () => {
      startWorker();
      await room.change(user.userId, "publish");
      const { token } = await issueVoiceToken(room, user, room.id);
      await room.change(user.userId, "listen");
      await until("the change is through", settled);
      await livekit.connect(token);
      expect(mayPublish()).to.equal(true);
      await until("the user may not speak", () => connected() && !mayPublish());
    });

    it("are reduced when they use the token that LiveKit itself gave them", async () => {
      startWorker();
      await room.change(user.userId, "publish");
      const participant = await connect();
      const refreshed = await participant.refreshedToken();
      await room.change(user.userId, "listen");
      await until("the user may not speak", () => !mayPublish());
      await livekit.connect(refreshed);
      expect(mayPublish()).to.equal(true);
      await until("the user again may not speak", () => connected() && !mayPublish());
    });

    it("are removed again after a kick", async () => {
      startWorker();
      await room.change(user.userId, "listen");
      const participant = await connect();
      const refreshed = await participant.refreshedToken();
      await room.change(user.userId, "none");
      await until("the user is out", () => !connected());
      await livekit.connect(refreshed);
      await until("the user is out again", () => !connected());
    });

    it("are raised when they connect with a token from before they got the seat", async () => {
      startWorker();
      await room.change(user.userId, "listen");
      const { token } = await issueVoiceToken(room, user, room.id);
      await room.change(user.userId, "publish");
      await until("the change is through", settled);
      await livekit.connect(token);
      await until("the user may speak", mayPublish);
    });

    it("are left alone for a while when the actor has lost them, and put out when they stay away", async () => {
      configureVoice(livekit.credentials, { ...timings, absentForMs: 60_000 });
      startWorker();
      const [back, away] = [user, await newUser()];
      for (const person of [back, away]) {
        await room.change(person.userId, "listen");
        await connect(person);
      }
      await until("the first sync is over", settled);
      for (const { userId } of [back, away]) room.forget(userId);
      const absent = () =>
        query("SELECT user_id FROM voice_grants WHERE room_id = $1 AND absent_since IS NOT NULL", [room.id]);
      await until("both are missed", async () => (await absent()).length === 2);
      const looks = livekit.callsOf("ListParticipants").length;
      await until("they are looked at again", () => livekit.callsOf("ListParticipants").length > looks + 1);
      for (const person of [back, away]) expect(connected(person)).not.to.equal(undefined);
      room.remember(back.userId, "listen");
      await until("one is no longer missed", async () => (await absent()).length === 1);
      await query("UPDATE voice_grants SET absent_since = absent_since - interval '1 minute' WHERE user_id = $1", [
        away.userId,
      ]);
      await until("the other is out", () => !connected(away));
      await until("no one is missed any longer", async () => (await absent()).length === 0);
      expect(connected(back)).not.to.equal(undefined);
    });

    it("are put out when a worker that had them in work has died", async () => {
      await room.change(user.userId, "listen");
      await connect();
      await room.change(user.userId, "none");
      const begun = performance.now();
      await query("UPDATE voice_grants SET leased_until = now() + interval '200 ms' WHERE room_id = $1", [room.id]);
      startWorker();
      await until("the user is out", () => !connected());
      expect(performance.now() - begun).to.be.above(150);
    });

    it("are watched until no member can come back, and then dropped", async () => {
      configureVoice(livekit.credentials, { ...timings, watchForMs: 200 });
      startWorker();
      await room.change(user.userId, "listen");
      await connect();
      await until("the first sync is over", settled);
      await until(
        "the watch continues while the user is connected",
        () => livekit.callsOf("ListParticipants").length > 6,
      );
      expect(await pruneGrants()).to.equal(0);
      livekit.disconnect(mediaRoomOf(room.id), user.userId);
      const watches = () => query("SELECT 1 FROM voice_watches WHERE room_id = $1", [room.id]);
      await until("the watch is over", async () => (await watches()).length === 0);
      expect(await pruneGrants()).to.equal(1);
      expect(await pruneGrants()).to.equal(0);
    });
  });

  describe("in a room that closes", () => {
    it("end with the room, also for users who reconnect later", async () => {
      startWorker();
      await room.change(user.userId, "publish");
      const participant = await connect();
      const refreshed = await participant.refreshedToken();
      await until("the first sync is over", settled);
      await room.close();
      await until("the room is deleted", () => !livekit.hasRoom(mediaRoomOf(room.id)));
      await livekit.connect(refreshed);
      await until("the user is out", () => !connected());
    });

    it("are deleted although the media server fails at first", async () => {
      startWorker();
      await room.change(user.userId, "publish");
      await connect();
      await until("the first sync is over", settled);
      livekit.fail(1);
      await room.close();
      await until("the room is empty", () => !connected());
    });
  });

  it("have no effect in a service without voice", async () => {
    await room.change(user.userId, "publish");
    await issueVoiceToken(room, user, room.id);
    configureVoice(undefined);
    await startVoiceWorker(room)();
    const grants = () => query("SELECT changes FROM voice_grants WHERE user_id = $1", [user.userId]);
    const before = await grants();
    await room.change(user.userId, "listen");
    await room.close();
    expect(await grants()).to.deep.equal(before);
  });

  it("are asked for with signed calls only", async () => {
    configureVoice({ ...livekit.credentials, apiSecret: `another-${newId()}` }, timings);
    const failure = await deleteMediaRoom(room.id).catch((error: unknown) => error);
    expect(failure).to.include({ code: "unauthenticated" });
  });
});

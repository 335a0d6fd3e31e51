import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Client } from "@colyseus/sdk";
import { expect, type HouseClient, type Registered, until, useHouse } from "#shared/extension/testing.ts";
import { unzip } from "#shared/testing/unzip.ts";

describe("an extension with every part", () => {
  const house = useHouse(import.meta.url);

  let host: Registered;
  let roomId: string;
  let client: HouseClient;
  before(async () => {
    host = await house.register();
    roomId = await house.openRoom(host);
    client = await house.connect(host);
    await client.ask("room:join", { room_id: roomId });
  });

  const seen = async (what: string) =>
    (await house.query("SELECT id FROM ext_every_part.seen WHERE what = $1", [what])).map(({ id }) => id);
  const say = (body: string) => client.ask("room:message", { room_id: roomId, body });
  const documentOf = async (file: string) => (await fetch(`${house.url}/${file}`)).text();

  it("changes the input before an action, or refuses it with a code of its own", async () => {
    expect((await say("milk")).data.body).to.equal("oat milk");
    expect((await say("tea")).error).to.include({ code: "EVERY_PART_NO_TEA", message: "There is no tea." });
    await house.admin("patch", "/settings", { every_part_word: "coffee" });
    expect((await say("tea")).data.body).to.equal("tea");
  });

  it("acts after operations, actions, and domain events", async () => {
    await until("all three are seen", async () =>
      (await Promise.all([seen("created"), seen("opened"), seen("said")])).every((ids) => ids.includes(roomId)),
    );
  });

  it("adds an action to rooms, whose event the members receive", async () => {
    const stranger = await house.connect(await house.register());
    expect((await client.ask("every_part:knock", { room_id: roomId })).data).to.deep.equal({ members: 1 });
    await until("the knock is heard", () => client.received.some(({ event }) => event === "every_part:knocked"));
    expect(await seen("knocked")).to.deep.equal([roomId]);
    expect((await stranger.ask("every_part:knock", { room_id: roomId })).error.code).to.equal("NOT_A_MEMBER");
    expect((await client.ask("every_part:knock", { room_id: roomId, more: 1 })).error.code).to.equal(
      "VALIDATION_ERROR",
    );
  });

  it("has records that administrators manage, and jobs and notifications", async () => {
    const created = await house.admin("post", "/every-part-notes", { title: "Biscuits" });
    expect(created.body.data).to.include({ title: "Biscuits", place: 0, version: 1 });
    expect((await house.admin("get", "/every-part-notes?q=isc")).body.data.total).to.equal(1);
    expect((await house.call("post", "/every-part/notes", host, { title: "Cake" })).status).to.equal(201);
    const titles = async () =>
      (await house.call("get", "/every-part/notes", host)).body.data.map(({ title }: { title: string }) => title);
    await until("the job has written", async () => (await titles()).includes("Cake"));
    const list = await fetch(`${house.url}/api/v1/notifications`, {
      headers: { authorization: `Bearer ${host.token}`, "accept-language": "es" },
    });
    expect(JSON.stringify(await list.json())).to.include("No hay té.");
    expect((await house.admin("delete", "/every-part/all-notes")).status).to.equal(200);
    expect(await titles()).to.deep.equal([]);
    const log = await house.admin("get", "/audit-logs?action=every_part.clear");
    expect(log.body.data.items).to.have.length(1);
  });

  it("keeps strangers, users, and other roles out of its operations", async () => {
    expect((await house.call("get", "/every-part/notes")).status).to.equal(401);
    expect((await house.call("delete", "/admin/every-part/all-notes", host)).status).to.equal(401);
    const role = await house.admin("post", "/roles", { name: "clerk", permissions: ["every_part.read"] });
    expect(role.status).to.equal(201);
  });

  it("sees no table but its own", async () => {
    expect((await house.call("get", "/every-part/spy", host)).body.error.code).to.equal("INTERNAL_ERROR");
  });

  it("has what it keeps of a user exported, and erased with the account", async () => {
    const ada = await house.register();
    for (const who of [ada, host])
      expect((await house.call("post", "/every-part/notes", who, { title: "Scones" })).status).to.equal(201);
    const kept = () => house.query("SELECT user_id FROM ext_every_part.authors WHERE title = 'Scones'");
    expect((await house.call("post", "/users/me/export", ada, {})).status).to.be.lessThan(300);
    const isReady = async () => (await house.call("get", "/users/me/export", ada)).body.data.state === "ready";
    await until("the export is made", isReady, 20_000);
    const pieces = await house.query(
      "SELECT content FROM user_export_pieces p JOIN user_exports e ON e.id = export_id WHERE user_id = $1 ORDER BY number",
      [ada.id],
    );
    const files = await unzip(Buffer.concat(pieces.map(({ content }) => content as Buffer)));
    expect(JSON.parse(files.get("every-part-notes.json")!)).to.deep.equal([{ title: "Scones" }]);

    expect((await house.call("post", "/account/delete-request", ada, {})).status).to.equal(200);
    await house.query("UPDATE users SET deletion_due_at = now() WHERE id = $1", [ada.id]);
    await house.query("UPDATE pgboss.job SET start_after = now() WHERE name = 'deletion.erase'");
    const isErased = async () => (await kept()).length === 1;
    await until("they are erased", isErased, 20_000);
    expect(await kept()).to.deep.equal([{ user_id: host.id }]);
  });

  it("has its tables in backups", async function () {
    this.timeout(120_000);
    const folder = await mkdtemp(join(tmpdir(), "every-part-"));
    const file = join(folder, "backup.sql.gz");
    const made = await house.program(["backup", file]);
    expect(made.exitCode, made.output).to.equal(0);
    const [, rows] = /^COPY ext_every_part\.seen .*\n((?:(?!\\\.).*\n)*)/m.exec(
      gunzipSync(await readFile(file)).toString(),
    )!;
    expect(rows).to.include(`opened\t${roomId}`);
    await rm(folder, { recursive: true });
  });

  it("stands in the documents", async () => {
    const [social, admin, events] = await Promise.all(
      ["openapi.json", "admin.openapi.json", "asyncapi.json"].map(documentOf),
    );
    for (const name of ["listEveryPartNotes", "EVERY_PART_NO_TEA"])
      if (name[0] === "l") expect(social).to.include(name);
    expect(admin).to.include("clearEveryPartNotes").and.to.include("createEveryPartNote");
    expect(events).to.include("every_part:knock").and.to.include("every_part:knocked");
  });

  describe("with the game of a stranger", () => {
    const register = () => Promise.all([house.register(), house.register()]);
    const run = (by: Registered, game: string, how = "well") =>
      house.call("post", `/games/sessions/${game}/action`, by, { kind: "every_part_run", how });
    const coinsOf = (people: readonly Registered[]) => Promise.all(people.map((one) => house.coinsOf(one)));

    /** Begins a race for coins. */
    async function beginForCoins(people: readonly [Registered, Registered]): Promise<string> {
      const lobby = await house.openLobby("every_part_race", people);
      for (const one of people) await house.call("post", "/every-part/stakes", one, { lobby_id: lobby });
      expect(await coinsOf(people)).to.deep.equal([90, 90]);
      return (await house.call("post", `/games/lobbies/${lobby}/start`, people[0])).body.data.session_id;
    }

    it("has it in the catalogue, the documents, and all transports, with what each may see", async () => {
      const people = await register();
      const types = (await house.call("get", "/games/types", people[0])).body.data;
      expect(types.at(-1)).to.include({ type: "every_part_race", min_players: 2 });
      for (const file of ["openapi.json", "asyncapi.json"])
        expect(await documentOf(file))
          .to.include("EveryPartRaceSession")
          .and.to.include("every_part_run");
      const game = await house.startGame("every_part_race", people);
      const socket = await house.connect(people[0]);
      const native = new Client(house.url);
      native.auth.token = people[1].token;
      const room = await native.join<{ board: { runners: { square: number }[] } }>("game_session", {
        session_id: game,
      });
      const action = { session_id: game, action: { kind: "every_part_run", how: "well" } };
      const { data } = await socket.ask("game:action", action);
      expect(data).to.deep.include({ type: "every_part_race", you: { secret: "tea" }, version: 2 });
      expect(data.turn.allowed).to.deep.equal(["every_part_run"]);
      await until("native clients see it", () => room.state.board?.runners[0]?.square === data.board.runners[0].square);
      expect(JSON.stringify(room.state)).not.to.include("tea");
      const others = (await house.call("get", `/games/sessions/${game}`, people[1])).body.data;
      expect([others.you, others.board]).to.deep.equal([{ secret: null }, data.board]);
      expect((await run(people[0], game)).body.error.code).to.equal("NOT_YOUR_TURN");
      const refused = (await run(people[1], game, "badly")).body.error;
      expect(refused).to.include({ code: "ILLEGAL_ACTION", message: "Run well." });
      await room.leave();
    });

    for (const how of ["for ever", "to all", "past the end", "as a stranger"])
      it(`ends one that runs ${how} with a code, and gives the stakes back; others don't notice`, async () => {
        const [people, others] = [await register(), await register()];
        const [game, other] = [await beginForCoins(people), await house.startGame("every_part_race", others)];
        const failing = run(people[0], game, how);
        for (const one of [0, 1, 0]) expect((await run(others[one]!, other)).status).to.equal(200);
        expect((await failing).body.error.code).to.equal("GAME_FAILED");
        const ended = (await house.call("get", `/games/sessions/${game}`, people[1])).body.data;
        expect([ended.status, ended.version]).to.deep.equal(["abandoned", 2]);
        await until("they have their coins back", async () => (await coinsOf(people)).every((coins) => coins === 100));
      });

    it("pays the stakes to the winner, and no coin beside", async () => {
      const people = await register();
      const game = await beginForCoins(people);
      let state = (await house.call("get", `/games/sessions/${game}`, people[0])).body.data;
      while (state.status === "active")
        state = (await run(people.find(({ id }) => id === state.turn.user_id)!, game)).body.data;
      const { seed, draws } = (await house.call("get", `/games/sessions/${game}/proof`, people[0])).body.data;
      expect(draws).to.have.length(state.version - 1);
      const first = createHmac("sha256", seed).update("0:0").digest().readUInt32BE(0) % 6;
      expect(draws[0]).to.deep.equal({ index: 0, purpose: "die of 6", value: first });
      const winner = state.result.standings.find(({ place }: { place: number }) => place === 1).user_id;
      const paid = people.map(({ id }) => (id === winner ? 110 : 90));
      await until("the winner is paid", async () => `${await coinsOf(people)}` === `${paid}`);
      expect(await house.checkLedger()).to.equal("The ledger is consistent.");
    });

    it("gives the stakes of a lobby back that is cancelled, and of a game that ends while it is switched off", async () => {
      const [people, others] = [await register(), await register()];
      const lobby = await house.openLobby("every_part_race", people);
      for (const person of people) await house.call("post", "/every-part/stakes", person, { lobby_id: lobby });
      const game = await beginForCoins(others);
      await house.admin("patch", "/settings", { every_part_enabled: false });
      await house.call("post", `/games/lobbies/${lobby}/leave`, people[0]);
      expect((await run(others[0]!, game, "for ever")).body.error.code).to.equal("GAME_FAILED");
      for (const players of [people, others])
        await until("they have their coins back", async () => (await coinsOf(players)).every((coins) => coins === 100));
      await house.admin("patch", "/settings", { every_part_enabled: true });
      expect(await house.checkLedger()).to.equal("The ledger is consistent.");
    });

    it("begins none once it is switched off", async () => {
      const people = await register();
      const lobby = await house.openLobby("every_part_race", people);
      await house.admin("patch", "/settings", { every_part_enabled: false });
      const start = await house.call("post", `/games/lobbies/${lobby}/start`, people[0]);
      expect(start.body.error.code).to.equal("NOT_FOUND");
      const created = await house.call("post", "/games/lobbies", people[0], { type: "every_part_race" });
      expect(created.body.error.code).to.equal("VALIDATION_ERROR");
      await house.admin("patch", "/settings", { every_part_enabled: true });
    });
  });

  describe("whose hooks fail", () => {
    it("goes on without one that answers nonsense, throws, or is slow, and switches it off after five", async () => {
      for (const body of ["nonsense", "throw", "slow", "throw", "nonsense"])
        expect((await say(body)).data?.body, body).to.equal(body);
      expect((await say("milk")).data.body).to.equal("milk");
      const { status, hooks } = (await house.admin("get", "/health")).body.data;
      expect(status).to.equal("degraded");
      expect(hooks.off).to.deep.equal(["every_part before action:room:message"]);
    });
  });

  describe("and a server of the operator", () => {
    let server: Server;
    let answer: (data: Record<string, never>) => unknown;
    const asked: { headers: Record<string, unknown>; body: string }[] = [];
    let secret = "";
    let hookPath = "";
    before(async () => {
      server = createServer(async (req, res) => {
        let body = "";
        for await (const part of req) body += part;
        asked.push({ headers: req.headers, body });
        const given = answer(JSON.parse(body).data);
        if (given === undefined) return;
        res.end(typeof given === "string" ? given : JSON.stringify(given));
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
      const target = "operation:createRoom";
      const wrong = { moment: "before", target: "operation:nothing", url: url(), failure: "closed" };
      expect((await house.admin("post", "/http-hooks", wrong)).body.error.code).to.equal("VALIDATION_ERROR");
      const away = { ...wrong, target, url: "http://169.254.169.254/latest" };
      expect((await house.admin("post", "/http-hooks", away)).body.error.code).to.equal("VALIDATION_ERROR");
      const made = await house.admin("post", "/http-hooks", { ...wrong, target, deadline_ms: 1000 });
      expect(made.status).to.equal(201);
      ({ secret } = made.body.data);
      hookPath = `/http-hooks/${made.body.data.id}`;
    });
    after(() => {
      server.closeAllConnections();
      server.close();
    });

    const create = (name: string) => house.call("post", "/rooms", host, { name, category: "music", language: "en" });

    it("changes the input, or refuses with a code of its own, by a signed request", async () => {
      answer = () => ({ input: { name: "Renamed" } });
      expect((await create("Named")).body.data.name).to.equal("Renamed");
      const { headers, body } = asked[0]!;
      const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      expect(headers["webhook-signature"]).to.equal(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
      expect(JSON.parse(body).data.caller).to.deep.equal({ kind: "user", id: host.id });
      await house.admin("post", `${hookPath}/rotate-secret`);
      await create("Named");
      const rotated = asked.at(-1)!.headers;
      expect(rotated["webhook-signature"]).to.match(/^v1,\S+ v1,\S+$/);
      const of = `${rotated["webhook-id"]}.${rotated["webhook-timestamp"]}.${asked.at(-1)!.body}`;
      const previous = createHmac("sha256", key).update(of).digest("base64");
      expect(String(rotated["webhook-signature"]).split(" ")[1]).to.equal(`v1,${previous}`);
      await house.query("UPDATE http_hooks SET previous_until = now()");
      await house.admin("patch", hookPath, { deadline_ms: 999 });
      await until("the previous secret has ended", async () => {
        await create("Named");
        return /^v1,\S+$/.test(String(asked.at(-1)!.headers["webhook-signature"]));
      });
      answer = () => ({ refuse: { code: "TOO_LATE", message: "Rooms open at nine." } });
      const refused = await create("Named");
      expect([refused.status, refused.body.error.code]).to.deep.equal([409, "TOO_LATE"]);
      expect(refused.body.error.message).to.equal("Rooms open at nine.");
    });

    it("refuses what it doesn't answer for, if it is closed, and lets it through once it is open", async () => {
      answer = () => "{";
      expect((await create("Named")).body.error.code).to.equal("ENGINE_UNAVAILABLE");
      await house.admin("patch", hookPath, { failure: "open", deadline_ms: 50 });
      answer = () => undefined;
      await until("the change is known", async () => (await create("Named")).status === 201);
      expect((await house.admin("delete", hookPath)).status).to.equal(200);
    });
  });
});

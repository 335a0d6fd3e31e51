import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import type { GameProof } from "#shared/contracts/views/game-views.ts";
import type { Payload } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

describe("the script in the documents that checks games", () => {
  const service = useService();
  let people: [BuiltUser, BuiltUser];
  let script: string;

  before(async () => {
    people = [await buildUser(), await buildUser()];
    script = await (await fetch(`${service.url}/docs/assets/check-game.js`)).text();
  });

  const post = async ({ token }: BuiltUser, path: string, body: object = {}): Promise<Payload> =>
    (await service.call("post", `/games${path}`, { token, body })).body.data;

  /** Plays a game to its end by taking the same action over and over. Answers the whole answer with its proof. */
  async function playOut(type: string, action: object): Promise<{ data: GameProof; state: Payload }> {
    const lobby = await post(people[0], "/lobbies", { type });
    await post(people[1], `/lobbies/${lobby.id}/join`);
    await post(people[1], `/lobbies/${lobby.id}/ready`);
    const { session_id } = await post(people[0], `/lobbies/${lobby.id}/start`);
    const path = `/games/sessions/${session_id}`;
    let state = (await service.call("get", path, { token: people[0].token })).body.data;
    while (state.status === "active") {
      const by = people.find(({ id }) => id === state.turn.user_id)!;
      state = await post(by, `/sessions/${session_id}/action`, action);
    }
    const { body } = await service.call("get", `${path}/proof`, { token: people[1].token });
    return { ...body, state };
  }

  /** Runs the script as it is served. */
  async function runScript(input: unknown): Promise<{ code: number | null; output: string }> {
    const lines = script.trimEnd().split("\n");
    expect(lines.length).to.be.at.most(40);
    expect(lines.filter((line) => line.startsWith("import ")).join()).to.match(
      /^import \{[^}]+\} from "node:crypto";$/,
    );
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script]);
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk));
    child.stdin.end(JSON.stringify(input));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output };
  }

  it("has a script that draws every number of a real game again", async () => {
    const snakes = await playOut("snakes_and_ladders", { kind: "roll" });
    const { code, output } = await runScript({ success: true, data: snakes.data });
    expect(code, output).to.equal(0);
    const { draws } = snakes.data;
    expect(output).to.include(`All ${draws.length} draws`).and.to.include(snakes.state.seed_hash);
    const last = draws.at(-1)!;
    expect(snakes.state.board.last_move.roll).to.equal(last.value + 1);
    expect(output).to.include(`${last.index}: die ${last.value + 1}\n`);
    const picks = await playOut("truth_or_dare", { kind: "prompt_pick", prompt: "truth" });
    expect((await runScript({ success: true, data: picks.data })).code).to.equal(0);
  });

  it("has a script that detects forged numbers", async () => {
    const { data } = await playOut("truth_or_dare", { kind: "prompt_pick", prompt: "dare" });
    const [first, ...others] = data.draws;
    const forged = { ...data, draws: [{ ...first!, value: first!.value === 0 ? 1 : 0 }, ...others] };
    const other = { ...data, seed: data.seed.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) };
    for (const [proof, remark] of [
      [forged, "Draw 0"],
      [other, "The seed doesn't match its hash"],
    ] as const) {
      const { code, output } = await runScript({ success: true, data: proof });
      expect(code).to.equal(1);
      expect(output).to.include(remark);
    }
  });
});

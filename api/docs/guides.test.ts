import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { clientEvents } from "#shared/contracts/client-events.ts";
import { serverEvents } from "#shared/contracts/events.ts";
import { errorCodes } from "#shared/kernel/error-codes.ts";
import { environment } from "#shared/start/environment.ts";
import { blocksOf, printedGuides } from "#shared/testing/guides.ts";
import { noEngine } from "#shared/testing/service.ts";
import { allApis } from "../apis.ts";
import { routesAt } from "../http/paths.ts";

const apis = allApis({ actors: noEngine });
const [social] = apis;
const operations = new Set(apis.flatMap(({ routes }) => routes.map(({ id }) => id)));
const events = [...Object.keys(clientEvents), ...Object.keys(serverEvents)];
const kinds = [...new Set(events.map((event) => event.split(":")[0]!))].filter((kind) => kind !== "error").join("|");

/** In code of languages that aren't run here, and in the text around it. */
describe("the guides", () => {
  for (const guide of printedGuides()) {
    const { file, text } = guide;

    it(`${file} names only events that exist`, () => {
      // What a guide mistypes on purpose is in a program, which a test runs.
      const wrong = blocksOf(guide, "js") + blocksOf(guide, "text");
      const named = [...text.matchAll(new RegExp(`["'\`]((?:${kinds}):[a-z_]+)["'\`]`, "g"))].map(
        ([, event]) => event!,
      );

      expect(named.filter((event) => !events.includes(event) && !wrong.includes(event))).to.deep.equal([]);
    });

    it(`${file} names only calls and error codes that exist`, () => {
      const calls = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (?:\/api\/v1)?(\/[\w/:-]+)`/g)];
      const unknown = calls.filter(
        ([, method, path]) => !routesAt(social.routes, path!).some((route) => route.method === method!.toLowerCase()),
      );
      const codes = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, code]) => code!);

      expect(unknown.map(([call]) => call)).to.deep.equal([]);
      expect(
        codes.filter(
          (code) => !Object.hasOwn(errorCodes, code) && !Object.hasOwn(environment, code) && !record.test(code),
        ),
      ).to.deep.equal([]);
    });
  }

  it("have code in TypeScript that compiles", async () => {
    const root = fileURLToPath(new URL("../../", import.meta.url));
    await mkdir(`${root}dist`, { recursive: true });
    const folder = await mkdtemp(`${root}dist/guides-`);
    const files = printedGuides().flatMap((guide) =>
      blocksOf(guide, "ts", "\0")
        .split("\0")
        .map((block, index) => [`${guide.file}-${index}.ts`, `${block}\nexport {};\n`] as const),
    );
    const settings = { extends: "../../api/web/tsconfig.json", compilerOptions: { noEmit: true }, include: ["*.ts"] };
    try {
      for (const [file, text] of [
        ...files,
        ["given.d.ts", given],
        ["tsconfig.json", JSON.stringify(settings)],
      ] as const)
        await writeFile(`${folder}/${file}`, text);
      const compiled = promisify(execFile)(`${root}node_modules/.bin/tsc`, ["-p", folder]);
      expect(await compiled.catch(({ stdout }) => ({ stdout }))).to.have.property("stdout", "");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("name operations as the documents do", () => {
    for (const name of ["joinRoom", "sendGift"]) expect(operations).to.include(name);
  });
});

/** What the text around the code speaks of, and libraries of phones and providers, which aren't installed here. */
const given = `
declare const hubbub: import("../../shared/client/client.ts").Hubbub;
declare const voice: Awaited<ReturnType<import("../../shared/client/client.ts").LiveRoom["voiceToken"]>>;
declare const { token, wsUrl }: typeof voice;
declare const socket: import("socket.io-client").Socket;
declare const room_id: string;
declare const packageId: string;
declare const planId: string;
declare const google: { accounts: { id: {
  initialize(options: { client_id: string; nonce: string; callback(answer: { credential: string }): void }): void;
  renderButton(place: HTMLElement, options: object): void;
} } };
declare const AppleID: { auth: {
  init(options: object): void;
  signIn(): Promise<{
    authorization: { id_token: string; code: string };
    user?: { name: { firstName: string; lastName: string } };
  }>;
} };
declare module "@livekit/react-native";
declare module "react-native-razorpay";
`;

/** Permissions of phones. */
const record = /^RECORD_/;

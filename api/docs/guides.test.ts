import { expect } from "chai";
import { clientEvents } from "#shared/contracts/client-events.ts";
import { serverEvents } from "#shared/contracts/events.ts";
import { errorCodes } from "#shared/kernel/error-codes.ts";
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
      expect(codes.filter((code) => !Object.hasOwn(errorCodes, code) && !variable.test(code))).to.deep.equal([]);
    });
  }

  it("name operations as the documents do", () => {
    for (const name of ["joinRoom", "sendGift"]) expect(operations).to.include(name);
  });
});

/** Variables of the environment, and permissions of phones. */
const variable = /^(LIVEKIT|RAZORPAY|RECORD)_/;

/**
 * Makes an unhandled rejection a failure, in the worker processes of mocha too: they swallow it, where it would end the
 * service. It is told after the test, since whoever throws into a test that goes on ends the worker with all its files.
 * Mocha takes every listener away after each file, hence one anew.
 */
const rejections = new Set<unknown>();

function mustBeNone(): void {
  const [first, ...others] = rejections;
  if (rejections.size === 0) return;
  rejections.clear();
  throw others.length > 0 ? new AggregateError([first, ...others], [first, ...others].map(String).join("\n")) : first;
}

export const mochaHooks = {
  beforeAll: () => void process.on("unhandledRejection", (reason) => rejections.add(reason)),
  afterEach: mustBeNone,
  afterAll: mustBeNone,
};

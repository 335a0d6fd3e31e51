/**
 * Makes unhandled rejections fail the test, also in mocha's worker processes, which ignore them although they would
 * stop the service. Throws after the test, because throwing during a test would stop the worker with all its files.
 * Adds a new listener for each file, because mocha removes all listeners after a file.
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

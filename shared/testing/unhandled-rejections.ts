/**
 * Makes an unhandled rejection fail the test that is running, in the worker processes of mocha too: they swallow it, where
 * it would end the service. Mocha takes every listener away after each file, hence one anew.
 */
const rethrow = (reason: unknown): never => {
  throw reason;
};

export const mochaHooks = {
  beforeAll: () => void process.on("unhandledRejection", rethrow),
};

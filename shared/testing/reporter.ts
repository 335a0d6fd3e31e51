import { writeFileSync } from "node:fs";
import Mocha, { type MochaOptions, type Runner, type Test } from "mocha";

const { EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_RUN_END } = Mocha.Runner.constants;

/** The file with the counts, read by `run.ts`. */
export const resultVariable = "HUBBUB_TEST_RESULT";

export interface Counts {
  passed: number;
  failed: number;
}

/** Prints a dot for each test, and failures immediately and in full. */
export default class Reporter {
  constructor(runner: Runner, options: MochaOptions) {
    // Its summary would repeat the failures.
    new Mocha.reporters.Dot(runner, options).epilogue = () => console.log();
    const counts: Counts = { passed: 0, failed: 0 };
    runner.on(EVENT_TEST_PASS, () => {
      counts.passed += 1;
    });
    runner.on(EVENT_TEST_FAIL, (test: Test, error: unknown) => {
      counts.failed += 1;
      if (test.file) console.log(`\n  ${test.file}`);
      Mocha.reporters.Base.list([Object.assign(test, { err: error })]);
    });
    runner.on(EVENT_RUN_END, () => writeFileSync(process.env[resultVariable] ?? "", JSON.stringify(counts)));
  }
}

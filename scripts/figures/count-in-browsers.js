import { appendFileSync } from 'node:fs';

const testsOf = ({ suites, tests }) => [...tests, ...suites.flatMap(testsOf)];

/** A reporter of the component tests' runner: appends a line of JSON for each test that ended to a file. */
export const countReporter = (file) => ({
  onTestRunFinished({ sessions }) {
    for (const { browser, testResults } of sessions)
      for (const { skipped } of testResults === undefined ? [] : testsOf(testResults))
        appendFileSync(
          file,
          `${JSON.stringify({ where: `test/view in ${browser.name}`, isSkipped: skipped === true })}\n`,
        );
  },
});

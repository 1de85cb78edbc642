/**
 * Mutation: small changes to the code, of which each should make a test fail. See docs/mutation.md.
 * @param {string} part its folder under `src`
 * @param {readonly string[]} testsOfPart folders under `tests` about it: none of them needs a database, so that a mutant
 *   is over in milliseconds
 * @returns {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export function mutationOf(part, testsOfPart) {
  const name = part.replaceAll('/', '-');
  const report = `reports/mutation/${name}`;
  return {
    mutate: [`src/${part}/**/*.ts`],
    ignorePatterns: ['.stryker-tmp', 'reports', 'bench', 'data', 'dist'],
    plugins: [new URL('runner.js', import.meta.url).pathname],
    testRunner: 'in-process',
    testsOfPart,
    coverageAnalysis: 'perTest',
    incremental: true,
    incrementalFile: `${report}.incremental.json`,
    reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
    clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: `${report}.json` },
    htmlReporter: { fileName: `${report}.html` },
    tempDirName: `.stryker-tmp/${name}`,
    concurrency: 2,
    warnings: { slow: false },
    thresholds: { high: 95, low: 90, break: 90 },
  };
}

import { register } from 'node:module';
import { relative, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import fc from 'fast-check';
import { beginFile, collected } from './suite.js';
import { findTests, testsOf } from './test-files.js';

/**
 * Runs the tests of a part in Stryker's own process. Jest loads each file anew for each mutant, which takes seconds; here
 * the files are loaded once, and again only for mutants of what is computed while a file is loaded (static ones).
 */
class Runner {
  static inject = ['options'];
  /** What instrumented code asks: which mutant is on, and which test is running. */
  #switches = (globalThis.__stryker__ ??= {});
  #files;
  #round = 0;
  #isPlain = false;

  constructor({ testsOfPart }) {
    this.#files = () => findTests(testsOfPart);
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    register(new URL('module-hooks.js', import.meta.url));
    // A property that fails has done its work; one that holds gets a second. The seed makes scores comparable.
    fc.configureGlobal({ endOnFailure: true, interruptAfterTimeLimit: 1_000, seed: 6_287 });
    // A mutant may leave promises behind that nobody waits for.
    process.on('unhandledRejection', () => undefined);
    // Here, as the time of a mutant is limited: after one that does not end, Stryker begins with a new process.
    await this.#load(this.#files());
  }

  async dryRun() {
    const tests = await this.#run(collected, false);
    return { status: DryRunStatus.Complete, tests, mutantCoverage: this.#switches.mutantCoverage };
  }

  async mutantRun({ activeMutant, mutantActivation, testFilter, hitLimit, disableBail, sandboxFileName }) {
    Object.assign(this.#switches, { hitCount: hitLimit === undefined ? undefined : 0, hitLimit });
    const tests =
      mutantActivation === 'static'
        ? await this.#runLoading(activeMutant.id, testsOf(this.#files(), sandboxFileName), !disableBail)
        : await this.#runLoaded(
            activeMutant.id,
            testsOf(this.#files(), sandboxFileName),
            testFilter,
            !disableBail,
          );
    this.#switches.activeMutant = undefined;
    const endless = determineHitLimitReached(this.#switches.hitCount, this.#switches.hitLimit);
    return endless ?? toMutantRunResult({ status: DryRunStatus.Complete, tests });
  }

  async #runLoaded(mutant, files, testFilter, bail) {
    if (!this.#isPlain) {
      await this.#load(this.#files());
    }
    const order = new Map(files.map((file, index) => [relative(process.cwd(), file), index]));
    const wanted = testFilter && new Set(testFilter);
    const tests = collected
      .filter(({ name, file }) => order.has(file) && (wanted?.has(name) ?? true))
      .sort((left, right) => order.get(left.file) - order.get(right.file));
    this.#switches.activeMutant = mutant;
    return this.#run(tests, bail);
  }

  /** File by file, as the first one mostly tells. */
  async #runLoading(mutant, files, bail) {
    const results = [];
    for (const file of files) {
      this.#switches.activeMutant = mutant;
      try {
        await this.#load([file]);
        results.push(...(await this.#run(collected, bail)));
      } catch (error) {
        results.push(resultOf(`loading ${file}`, 0, error));
      }
      if (bail && results.some(({ status }) => status === TestStatus.Failed)) {
        break;
      }
    }
    this.#isPlain = false;
    return results;
  }

  async #load(files) {
    collected.length = 0;
    this.#round += 1;
    for (const file of files) {
      beginFile(relative(process.cwd(), file));
      await import(`${pathToFileURL(file).href}?${this.#round}`);
    }
    this.#isPlain = this.#switches.activeMutant === undefined;
  }

  async #run(tests, bail) {
    const results = [];
    for (const { name, file, run } of tests) {
      const begun = performance.now();
      this.#switches.currentTestId = name;
      const failure = await run().then(
        () => undefined,
        (error) => error ?? new Error('nothing was thrown'),
      );
      this.#switches.currentTestId = undefined;
      results.push({ ...resultOf(name, performance.now() - begun, failure), fileName: resolve(file) });
      if (bail && failure !== undefined) {
        break;
      }
    }
    return results;
  }
}

function resultOf(name, timeSpentMs, failure) {
  const outcome =
    failure === undefined
      ? { status: TestStatus.Success }
      : { status: TestStatus.Failed, failureMessage: String(failure.stack ?? failure).slice(0, 1_000) };
  return { id: name, name, timeSpentMs, ...outcome };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', Runner)];
/** Stryker asks for the form of the options that are the plugin's own. */
export const strykerValidationSchema = {
  properties: { testsOfPart: { type: 'array', items: { type: 'string' } } },
};

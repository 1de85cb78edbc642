import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';

const GLOBALS = new URL('test-globals.js', import.meta.url).href;
/** Symbols of the global object under which circus keeps the tests of a file. */
const OF_A_FILE = /JEST_STATE|EVENT_HANDLERS|TEST_TIMEOUT/;

register(
  `data:text/javascript,${encodeURIComponent(`
    export const resolve = (specifier, context, next) =>
      specifier === '@jest/globals' ? { url: '${GLOBALS}', shortCircuit: true } : next(specifier, context);
  `)}`,
);
// Not a static import: with one, jest loads this file by require, beside other globals than those of the tests.
const { announce, repeatHooks } = await import(GLOBALS);

/**
 * Runs a test file with jest's circus, but in the modules of the process instead of in modules of its own: what files have
 * in common, the source and its libraries, is loaded once a process. Loading it took two seconds of each file.
 */
export default async function runTestFile(globalConfig, config, environment, runtime, path, report) {
  // jest's looks for source maps that Node has.
  Error.prepareStackTrace = undefined;
  const require = createRequire(import.meta.url);
  const native = {
    // Anew, as it holds the tests of one file.
    requireInternalModule: (file) => {
      delete require.cache[file];
      return require(file);
    },
    requireModule: require,
    setGlobalsForRuntime: (globals) => {
      announce(globals, environment.moduleMocker);
    },
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (file) => {
      repeatHooks();
      return import(pathToFileURL(file).href);
    },
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
  };
  try {
    return await circus.default(globalConfig, config, environment, native, path, report);
  } finally {
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (OF_A_FILE.test(String(symbol))) {
        Reflect.deleteProperty(globalThis, symbol);
      }
    }
  }
}

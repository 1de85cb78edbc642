import asyncHooks from 'node:async_hooks';
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
const require = createRequire(import.meta.url);
// Not a static import: with one, jest loads this file by require, beside other globals than those of the tests.
const { announce, repeatHooks } = await import(GLOBALS);

/**
 * Runs a test file with jest's circus, but in the modules of the process instead of in modules of its own: what files have
 * in common, the source and its libraries, is loaded once a process. Loading it took two seconds of each file.
 */
export default async function runTestFile(globalConfig, config, environment, runtime, path, report) {
  // jest's looks for source maps that Node has.
  Error.prepareStackTrace = undefined;
  const storages = [];
  const native = {
    requireInternalModule: (file) => requireAnew(file, storages),
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
    storages.forEach((storage) => storage.disable());
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (OF_A_FILE.test(String(symbol))) {
        Reflect.deleteProperty(globalThis, symbol);
      }
    }
  }
}

/**
 * Loads a module of circus that holds the tests of one file.
 * @param storages gets its AsyncLocalStorage: until they are disabled, Node 20 does work for each of them at every promise
 */
function requireAnew(file, storages) {
  const { AsyncLocalStorage } = asyncHooks;
  class Storage extends AsyncLocalStorage {
    constructor(...given) {
      super(...given);
      storages.push(this);
    }
  }
  const replace = (value) => Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value });
  delete require.cache[file];
  replace(Storage);
  try {
    return require(file);
  } finally {
    replace(AsyncLocalStorage);
  }
}

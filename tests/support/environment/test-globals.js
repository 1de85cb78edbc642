/*
 * What the tests import as `@jest/globals`. Modules that several test files share import it once: each use goes to what
 * belongs to the file that runs.
 */

let current;
let mocks;
const repeated = [];

export function announce(globals, mocker) {
  current = globals;
  mocks = mocker;
}

/** Runs `hook` after each test and at the end of this file and of all later ones: a shared module is loaded in the first. */
export function afterTestsOfAllFiles(hook) {
  repeated.push(hook);
  registerHook(hook);
}

/** To be called before a file is loaded. */
export function repeatHooks() {
  repeated.forEach(registerHook);
}

function registerHook(hook) {
  current.afterEach(hook);
  current.afterAll(hook);
}

const forwarded = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _this, given) => current[name](...given),
    get: (_target, key) => current[name][key],
  });

export const it = forwarded('it');
export const describe = forwarded('describe');
export const expect = forwarded('expect');
export const beforeAll = forwarded('beforeAll');
export const beforeEach = forwarded('beforeEach');
export const afterAll = forwarded('afterAll');
export const afterEach = forwarded('afterEach');
export const jest = {
  spyOn: (...given) => mocks.spyOn(...given),
  restoreAllMocks: () => {
    mocks.restoreAllMocks();
  },
  setTimeout: (milliseconds) => {
    globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = milliseconds;
  },
};

import { expect } from 'expect';

/*
 * What the tests import as `@jest/globals` where Stryker runs them: jest's own `expect`, and as much of the rest as they
 * use. Tests are collected here, for the runner to run as often as it likes.
 */

/** In the order of the files. Emptied by the runner before files are loaded. */
export const collected = [];
let groups = [];
let current = '';

/** Begins a file: what stands outside of any `describe` belongs to it. */
export function beginFile(file) {
  current = file;
  groups = [{ name: '', before: [] }];
}

export function describe(name, body) {
  groups.push({ name, before: [] });
  body();
  groups.pop();
}

export function beforeEach(work) {
  groups.at(-1).before.push(work);
}

export function it(name, body) {
  const around = [...groups];
  collected.push({
    file: current,
    name: [current, ...around.slice(1).map((group) => group.name), name].join(' › '),
    run: async () => {
      for (const work of around.flatMap(({ before }) => before)) {
        await work();
      }
      await body();
    },
  });
}

const each = (one) => (rows) => (name, body) => {
  for (const [index, row] of rows.entries()) {
    one(`${name} #${index}`, () => (Array.isArray(row) ? body(...row) : body(row)));
  }
};
it.each = each(it);
describe.each = each(describe);

/** Modules that tests share import them for databases, of which there is none here. */
export function beforeAll() {
  throw new Error('a test with a database is run by jest alone');
}
export const afterAll = beforeAll;
export const afterEach = beforeAll;

export { expect };

import { describe, expect, it } from '@jest/globals';
import { removedPolicy } from '../../../src/http/dialects/linotp2-administration.ts';
import { inPython2Order } from '../../../src/http/dialects/python-text.ts';
import { readOcraRecordings } from '../../compat/ocra-recordings.ts';

/*
 * LinOTP 2.12.6 gave objects whose keys are chosen names (policies, realms, configuration values) in the order of a
 * Python 2 dict.
 */

type Members = Readonly<Record<string, unknown>>;

interface RecordedObject {
  readonly name: string;
  readonly path: string;
  readonly value: Members;
}

const objects: readonly RecordedObject[] = readOcraRecordings()
  .filter(({ request }) => request.path.startsWith('/system/'))
  .flatMap(({ name, request, response }) => {
    const { value } = (JSON.parse(response.body) as { result: { value: unknown } }).result;
    return typeof value === 'object' && value !== null
      ? [{ name, path: request.path, value: value as Members }]
      : [];
  });
const removals = objects.filter(({ path }) => path === '/system/delPolicy');
const others = objects.filter(({ path }) => path !== '/system/delPolicy');

describe('a recorded object with chosen keys', () => {
  it.each(others)('has the order of a dict: $name', ({ value }) => {
    const sorted = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
    expect(Object.keys(value)).toEqual(Object.keys(inPython2Order(sorted)));
  });

  it.each(removals)('has the order of a copied dict: $name', ({ value }) => {
    const { result } = value.delPolicy as { readonly result: Members };
    const [policy = ''] = /^linotp\.Policy\.(.+)\.[a-z]+$/.exec(Object.keys(result)[0] ?? '')?.slice(1) ?? [];
    expect(JSON.stringify(removedPolicy(policy))).toBe(JSON.stringify(value));
  });

  it('exists of each kind', () => {
    expect(objects.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/system/getRealms',
        '/system/getConfig',
        '/system/setConfig',
        '/system/getPolicy',
        '/system/setPolicy',
        '/system/delPolicy',
      ]),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { demoPlan, TOUR_USER } from '../../../src/cli/demo/demo-content.ts';
import { expectedActiveUserRows, expectedTokenRows, expectedUserRows } from '../../../src/cli/demo/tour.ts';
import { execFileSync } from 'node:child_process';
import {
  curlLine,
  shellWord,
  assertAnswer,
  type Expectation,
  compactJson,
} from '../../../src/cli/demo/exchange.ts';
import { startPortal } from '../../../src/cli/demo/portal.ts';

const plan = demoPlan();

describe("the demo's plan", () => {
  it('has two realms, forty users of different logins and a hundred tokens of different serials', () => {
    const logins = plan.realms.flatMap((realm) => realm.logins);
    expect(plan.realms).toHaveLength(2);
    expect(new Set(logins).size).toBe(40);
    expect(logins).toHaveLength(40);
    expect(new Set(plan.tokens.map(({ serial }) => serial)).size).toBe(100);
  });

  it('has tokens of all conditions', () => {
    const count = (wanted: (token: (typeof plan.tokens)[number]) => boolean): number =>
      plan.tokens.filter(wanted).length;
    expect(count(({ owner }) => owner === null)).toBeGreaterThan(10);
    expect(count(({ active }) => !active)).toBeGreaterThan(10);
    expect(count(({ realms }) => realms.length === 0)).toBeGreaterThan(1);
    expect(count(({ realms, active }) => realms.length === 2 && active)).toBe(1);
  });

  it('leaves the user of the tour without a token', () => {
    expect(plan.tokens.filter(({ owner }) => owner?.login === TOUR_USER.login)).toEqual([]);
  });
});

describe('the counts that monitoring must give', () => {
  const small = {
    realms: [
      { name: 'a', resolver: 'ra', logins: ['x', 'y'] },
      { name: 'b', resolver: 'rb', logins: ['z'] },
    ],
    tokens: [
      { serial: '1', owner: { login: 'x', realm: 'a' }, realms: ['a'], active: true },
      { serial: '2', owner: { login: 'x', realm: 'a' }, realms: ['a'], active: true },
      { serial: '3', owner: { login: 'z', realm: 'b' }, realms: ['a', 'b'], active: true },
      { serial: '4', owner: { login: 'y', realm: 'a' }, realms: ['a'], active: false },
      { serial: '5', owner: null, realms: ['b'], active: false },
      { serial: '6', owner: null, realms: [], active: true },
    ],
  };

  it('count a token in each of its realms, and once in the summary', () => {
    expect(expectedTokenRows(small, ['assigned', 'unassigned&inactive'])).toEqual([
      ['a', 'total', 4],
      ['a', 'total users', 2],
      ['a', 'assigned', 4],
      ['a', 'unassigned&inactive', 0],
      ['b', 'total', 2],
      ['b', 'total users', 1],
      ['b', 'assigned', 1],
      ['b', 'unassigned&inactive', 1],
      ['Summary', 'total', 5],
      ['Summary', 'total users', 2],
      ['Summary', 'assigned', 4],
      ['Summary', 'unassigned&inactive', 1],
    ]);
  });

  it('count users by realm and resolver', () => {
    expect(expectedUserRows(small)).toEqual([
      ['a', 'ra', 2],
      ['b', 'rb', 1],
    ]);
  });

  it('count users who own an active token, each once', () => {
    expect(expectedActiveUserRows(small)).toEqual([
      ['a', 'ra', 1],
      ['b', 'rb', 1],
      ['Total', '', 2],
    ]);
  });
});

const REQUEST = { method: 'POST', path: '/ocra/check_t', parameters: {}, asAdministrator: false } as const;

const BASE = 'http://127.0.0.1:5001';

describe('a curl line of the demo', () => {
  it.each(['plain', "it's", '$HOME `id` "x" \\ !', '', '*', 'a\nb', '-u', '&;|<>()'])(
    'passes %j through a shell as it is',
    (text) => {
      expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
    },
  );

  it('says who speaks only where somebody does', () => {
    expect(curlLine(REQUEST, BASE, 'pass word')).not.toContain('-u');
    expect(curlLine({ ...REQUEST, asAdministrator: true }, BASE, 'pass word')).toContain(
      "-u 'admin:pass word'",
    );
  });

  it('lets curl encode what a form would not carry as it is', () => {
    expect(curlLine({ ...REQUEST, parameters: { pass: '123', data: 'a&b=c d' } }, BASE, 'p')).toBe(
      `curl -s ${BASE}/ocra/check_t -d pass=123 --data-urlencode 'data=a&b=c d'`,
    );
  });

  it('asks with GET by -G, and posts without parameters by -X POST', () => {
    expect(curlLine({ ...REQUEST, method: 'GET', parameters: { a: '1' } }, BASE, 'p')).toBe(
      `curl -s -G ${BASE}/ocra/check_t -d a=1`,
    );
    expect(curlLine({ ...REQUEST, method: 'GET' }, BASE, 'p')).toBe(`curl -s ${BASE}/ocra/check_t`);
    expect(curlLine(REQUEST, BASE, 'p')).toBe(`curl -s -X POST ${BASE}/ocra/check_t`);
  });
});

describe('what the demo expects of an answer', () => {
  it.each<[unknown, Expectation]>([
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: { b: [1, 'x', null] } }, { a: { b: [1, 'x', null] } }],
    [{ a: 'text' }, { a: (actual) => typeof actual === 'string' }],
    [[], []],
  ])('is met by %j', (actual, expected) => {
    expect(() => {
      assertAnswer(actual, expected);
    }).not.toThrow();
  });

  it.each<[unknown, Expectation, string]>([
    [{ a: 1 }, { a: 2 }, 'answer.a is 1, expected 2'],
    [{ a: '1' }, { a: 1 }, 'answer.a is "1", expected 1'],
    [{}, { a: 1 }, 'answer.a is missing, expected 1'],
    [{ a: null }, { a: { b: 1 } }, 'answer.a is null, expected an object'],
    [{ a: [1, 2] }, { a: [1] }, 'answer.a is [1,2], expected 1 items'],
    [{ a: [1, 2] }, { a: [1, 3] }, 'answer.a[1] is 2, expected 3'],
    [{ a: 'x' }, { a: ['x'] }, 'answer.a is "x", expected 1 items'],
    [{ a: 1 }, { a: () => false }, 'answer.a is 1, expected something else'],
    ['<h1>no</h1>', { result: {} }, 'answer is "<h1>no</h1>", expected an object'],
  ])('is not met by %j', (actual, expected, message) => {
    expect(() => {
      assertAnswer(actual, expected);
    }).toThrow(message);
  });
});

describe('JSON laid out for reading', () => {
  it('stays on a line where it fits', () => {
    expect(compactJson({ a: [1, 'x', null], b: {} }, 80)).toBe('{ "a": [1, "x", null], "b": {} }');
  });

  it('is broken from the outside in', () => {
    expect(
      compactJson(
        {
          rows: [
            ['a', 1],
            ['b', 2],
          ],
          ok: true,
        },
        20,
      ),
    ).toBe(['{', '  "rows": [', '    ["a", 1],', '    ["b", 2]', '  ],', '  "ok": true', '}'].join('\n'));
  });

  it('is the same JSON, whatever the width', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ noUnicodeString: false }),
        fc.integer({ min: 0, max: 120 }),
        (value, width) => {
          expect(JSON.parse(compactJson(value, width))).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
    );
  });
});

/** The portal ends at once, as it ends by Ctrl-C during its start. */
const INCOMPLETE = {};

it('tells why the portal does not start', async () => {
  await expect(startPortal(INCOMPLETE, 20_000, new AbortController().signal)).rejects.toThrow(
    'the portal did not start:\nportal: TANKEEPER_URL is missing',
  );
});

it('gives up a start that its user ends, without a complaint', async () => {
  const reason = new Error('Ctrl-C');
  await expect(startPortal(INCOMPLETE, 20_000, AbortSignal.abort(reason))).rejects.toBe(reason);
});

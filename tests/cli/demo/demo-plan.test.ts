import { describe, expect, it } from '@jest/globals';
import { demoPlan, TOUR_USER } from '../../../src/cli/demo/demo-content.ts';
import { execFileSync } from 'node:child_process';
import { curlLine, readableJson, shellWord } from '../../../src/cli/demo/exchange.ts';
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

it('lays JSON out for reading: plain values on one line', () => {
  const rows = [
    ['a b', 1],
    ['c', null],
  ];
  expect(readableJson({ rows, ok: { yes: true }, none: {} })).toBe(
    [
      '{',
      '  "rows": [',
      '    ["a b", 1],',
      '    ["c", null]',
      '  ],',
      '  "ok": { "yes": true },',
      '  "none": {}',
      '}',
    ].join('\n'),
  );
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

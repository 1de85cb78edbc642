import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { curlLine, shellWord } from '../../../src/cli/demo/exchange.ts';

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

import { expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { checkAddresses } from '../../src/doctor/environment-check.ts';

type Variables = Readonly<Record<string, string>>;

const codesFor = (variables: Variables): readonly string[] =>
  checkAddresses(loadConfig(variables)).map(({ severity, code }) => `${severity} ${code}`);

const BEHIND = { TRUST_PROXY: 'loopback' };

it.each<[string, Variables, Variables]>([
  ['note addresses.no-proxy', {}, BEHIND],
  ['note addresses.no-proxy', { HOST: '::1' }, { HOST: '::1', ...BEHIND }],
  ['warning addresses.plain-http', { HOST: '0.0.0.0' }, { HOST: '0.0.0.0', TRUST_PROXY: '192.0.2.1' }],
  ['warning addresses.plain-http', { HOST: '::' }, { HOST: 'localhost' }],
  [
    'note addresses.metrics',
    { HOST: '192.0.2.5', TRUST_PROXY: '192.0.2.1', METRICS_PORT: '9464' },
    { HOST: '127.0.0.1', TRUST_PROXY: 'loopback', METRICS_PORT: '9464' },
  ],
  ['error addresses.trusts-everyone', { TRUST_PROXY: 'loopback, 0.0.0.0/0' }, BEHIND],
  ['error addresses.trusts-everyone', { TRUST_PROXY: '::/0' }, BEHIND],
  [
    'warning addresses.unreachable-proxy',
    { TRUST_PROXY: '192.0.2.1' },
    { TRUST_PROXY: '192.0.2.1,127.0.0.1' },
  ],
  ['error addresses.exempts-everyone', { LIMIT_EXEMPT: '0.0.0.0/0' }, { LIMIT_EXEMPT: '10.0.0.0/8' }],
  [
    'warning addresses.exempts-proxy',
    { HOST: '192.0.2.5', TRUST_PROXY: '192.0.2.1', LIMIT_EXEMPT: 'loopback,192.0.2.1' },
    { HOST: '192.0.2.5', TRUST_PROXY: '192.0.2.1', LIMIT_EXEMPT: 'loopback,192.0.2.9' },
  ],
])('%s: is found for %j, and not for %j', (code, wrong, right) => {
  expect(codesFor(wrong)).toContain(code);
  expect(codesFor(right)).not.toContain(code);
});

it('finds nothing where a proxy on this machine is trusted, with the default exemptions', () => {
  expect(codesFor(BEHIND)).toEqual([]);
});

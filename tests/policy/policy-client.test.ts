import { describe, expect, it } from '@jest/globals';
import { readClients } from '../../src/policy/policy-client.ts';
import { refusalOf } from '../support/values/refusal.ts';

describe('the clients of a policy', () => {
  it.each([
    ['', '10.1.2.3', true],
    ['', '', true],
    ['*', '', true],
    ['10.0.0.5', '10.0.0.5', true],
    ['10.0.0.5', '10.0.0.50', false],
    ['10.0.0.5', '', false],
    ['10.0.0.5', 'nonsense', false],
    ['10.99.0.0/16', '10.99.255.255', true],
    ['10.99.0.0/16', '10.100.0.0', false],
    ['10.99.7.7/16', '10.99.1.1', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['192.168.0.0/16, 10.0.0.5', '10.0.0.5', true],
    ['2001:db8::/32', '2001:DB8:0:0::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/64', '2001:db8::1:2:3:4', true],
    ['2001:db8::/64', '2001:db8:0:1::1', false],
    ['2001:db8::1', '2001:db8::2', false],
    ['::ffff:110.120.130.0/120', '110.120.130.140', true],
    ['110.120.130.140', '::ffff:110.120.130.140', true],
    ['110.120.130.140', '::ffff:6e78:828c', true],
    ['- 10.0.0.5', '10.0.0.5', false],
    ['fe80::1', 'fe80::1%eth0\n2', true],
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['fe80::1', 'fe80::1%eth0', true],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:a01:203', true],
    ['10.0.0.0/8', '::FFFF:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.5', '10.0.0.5', true],
    ['10.0.0.0/8, -10.0.0.5', '10.0.0.5', false],
    ['10.0.0.0/8, !10.0.0.5', '::ffff:10.0.0.5', false],
    ['10.0.0.0/8, -10.0.0.5', '10.0.0.6', true],
    ['-10.0.0.5, 10.0.0.0/8', '10.0.0.5', false],
    ['*, -10.0.0.0/8', '10.0.0.5', false],
    ['*, -10.0.0.0/8', '11.0.0.5', true],
    ['-10.0.0.0/8', '11.0.0.5', true],
    ['-10.0.0.0/8', '10.0.0.5', false],
    ['-10.0.0.0/8', '', false],
  ])('%j: the client %j counts as %s', (text, client, expected) => {
    expect(readClients(text)(client)).toBe(expected);
  });

  it.each([
    'intranet.example',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/x8',
    '10.0.0.0/8x',
    '10.0.0.0/0008',
    '10.0.0.0/8/8',
    '2001:db8::/129',
    '::ffff:10.0.0.0/8',
    'fe80::1%eth0',
    '-',
    '!*',
    '10.0.0.1-10.0.0.9',
  ])('%s is refused, and the text quotes it', (text) => {
    const refusal = refusalOf(() => readClients(`10.0.0.1, ${text}`));
    expect(refusal.code).toBe('policy.invalid');
    expect(refusal.message).toContain(`'${text.replace(/^[-!]/, '')}' is not a client`);
  });
});

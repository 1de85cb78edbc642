import { describe, expect, it } from '@jest/globals';
import { clientNetwork, networkMatcher, unnamedProxy } from '../../../src/http/limits/networks.ts';
import { refusalOf } from '../../support/values/refusal.ts';

describe('clientNetwork', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['unknown', 'unknown'],
    [unnamedProxy('127.0.0.1'), '127.0.0.1'],
    [unnamedProxy('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64'],
  ])('counts %s as %s', (client, network) => {
    expect(clientNetwork(client)).toBe(network);
  });
});

describe('networkMatcher', () => {
  it.each([
    [['loopback'], ['127.0.0.1', '127.9.9.9', '::1'], ['128.0.0.1', '::2', 'unknown']],
    [['linklocal'], ['169.254.1.1', 'fe80::1%eth0'], ['169.255.0.1', '::1']],
    [['uniquelocal'], ['10.1.2.3', '172.31.0.1', '192.168.0.1', 'fd00::1'], ['172.32.0.1', '11.0.0.1']],
    [
      ['192.0.2.0/24', '2001:db8::/32'],
      ['192.0.2.255', '2001:db8:ffff::1'],
      ['192.0.3.0', '2001:db9::1'],
    ],
    [
      ['192.0.2.1', '2001:db8::1'],
      ['192.0.2.1', '2001:db8::1'],
      ['192.0.2.2', '2001:db8::2'],
    ],
    [['::/0'], ['::1', '2001:db8::1'], ['127.0.0.1', '::ffff:127.0.0.1', '198.51.100.1']],
    [['0.0.0.0/0'], ['127.0.0.1', '::ffff:198.51.100.1'], ['::1', '2001:db8::1']],
    [['none'], [], ['127.0.0.1', '::1']],
    [[], [], ['127.0.0.1', '::1']],
    [
      ['loopback', '::/0', '0.0.0.0/0'],
      ['127.0.0.1', '::1'],
      [unnamedProxy('127.0.0.1'), 'unknown'],
    ],
  ])('%j holds these, and not those', (networks, inside, outside) => {
    const holds = networkMatcher(networks);
    expect(inside.filter((client) => !holds(client))).toEqual([]);
    expect(outside.filter((client) => holds(client))).toEqual([]);
  });

  it('is refused for what is no network, also where only its prefix is wrong', () => {
    for (const network of ['intranet.example', '10.0.0.0/33', '::ffff:10.0.0.0/64']) {
      expect(refusalOf(() => networkMatcher([network])).code).toBe('configuration.invalid');
    }
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { LimitReporter } from '../../../src/http/limits/limit-reporter.ts';
import { LoginGuard } from '../../../src/http/limits/login-guard.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { clientNetwork, networkMatcher, unnamedProxy } from '../../../src/http/limits/networks.ts';
import { refusalOf } from '../../support/values/refusal.ts';

const ATTEMPT = { client: '203.0.113.66', account: 'admin', password: 'given' };

let counted: number;
let wait: number;
let guard: LoginGuard;

beforeEach(() => {
  counted = 0;
  wait = 0;
  const forgive = (): Promise<void> => Promise.resolve();
  const none = { wait: () => 0, count: () => Promise.resolve(0), forgive };
  const silent = (): void => undefined;
  guard = new LoginGuard({
    names: {
      wait: () => wait,
      count: () => {
        counted += 1;
        return Promise.resolve(counted > 2 ? 1_000 : 0);
      },
      forgive,
    },
    clients: none,
    atOnce: 100,
    isExempt: () => false,
    refusals: new LimitReporter({
      log: { error: silent, warn: silent, info: silent, debug: silent },
      metrics: { limitReached: silent },
      clock: systemClock,
    }),
  });
});

const never = (): Promise<string> => Promise.reject(new Error('verified'));

describe('a password that is remembered', () => {
  it('is right without being verified or counted', async () => {
    expect(await guard.attempt(ATTEMPT, never, () => 'proven')).toBe('proven');
    expect(counted).toBe(0);
  });

  it('is not looked for while the client has to wait', async () => {
    wait = 1_000;
    let recalled = 0;
    const recall = (): string => {
      recalled += 1;
      return 'proven';
    };
    await expect(guard.attempt(ATTEMPT, never, recall)).rejects.toMatchObject({ code: 'too-many-requests' });
    expect(recalled).toBe(0);
  });
});

describe('a password other than the remembered one', () => {
  it('is verified, and counted once if it is wrong', async () => {
    expect(
      await guard.attempt(
        ATTEMPT,
        () => Promise.resolve<string | undefined>(undefined),
        () => 'other',
      ),
    ).toBeUndefined();
    expect(counted).toBe(1);
    expect(
      await guard.attempt(
        ATTEMPT,
        () => Promise.resolve('new'),
        () => 'other',
      ),
    ).toBe('new');
    expect(counted).toBe(1);
  });

  it('is counted also if it cannot be verified, and refused for good after a few', async () => {
    const busy = (): Promise<string> => guard.attempt(ATTEMPT, never, () => 'other');
    await expect(busy()).rejects.toThrow('verified');
    await expect(busy()).rejects.toThrow('verified');
    await expect(busy()).rejects.toMatchObject({ code: 'too-many-requests' });
    expect(counted).toBe(3);
  });
});

it('a password of which nothing is remembered is not counted if it cannot be verified', async () => {
  await expect(guard.attempt(ATTEMPT, never, () => undefined)).rejects.toThrow('verified');
  await expect(guard.attempt(ATTEMPT, never)).rejects.toThrow('verified');
  expect(counted).toBe(0);
});

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

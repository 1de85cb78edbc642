import { beforeEach, describe, expect, it } from '@jest/globals';

import { LimitReporter } from '../../../src/http/limits/limit-reporter.ts';
import { LoginGuard } from '../../../src/http/limits/login-guard.ts';
import { systemClock } from '../../../src/kernel/clock.ts';

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
    burst: {
      wait: () => wait,
      count: () => {
        counted += 1;
        return Promise.resolve(counted > 2 ? 1_000 : 0);
      },
      forgive,
    },
    lasting: none,
    clients: none,
    accounts: none,
    single: none,
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

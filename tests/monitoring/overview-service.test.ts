import { describe, expect, it } from '@jest/globals';
import type { Configuration } from '../../src/configuration/configuration.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { OverviewService } from '../../src/monitoring/overview-service.ts';
import { callerNamed } from '../support/values/callers.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const CONFIGURATION = {
  revision: 1n,
  changedAt: NOW,
  readAt: NOW,
  settings: new Map<string, string>(),
  resolvers: [],
  policies: [],
  realms: [],
} as unknown as Configuration;
const none = (): Promise<never[]> => Promise.resolve([]);

/** Each look is a second after the one before, unless a test says so. */
let readingTime = 0;

/** @param encrypts tests the encryption */
function overviewWith(
  encrypts: () => Promise<boolean>,
  { elapsed, counted = () => undefined }: { elapsed?: () => number; counted?: () => void } = {},
): OverviewService {
  return new OverviewService({
    configurations: { current: () => Promise.resolve(CONFIGURATION) },
    configurationState: {
      assumed: CONFIGURATION,
      lastChangeInDatabase: () => Promise.resolve({ revision: 1n, changedAt: NOW }),
    },
    access: { grantOf: () => ({ realms: 'all' }) },
    counts: {
      snapshot: () => {
        counted();
        return Promise.resolve({ tokens: [], activeUsers: [] });
      },
      lockedTokens: none,
      installedSteps: () => Promise.resolve({ secondFactor: false, backup: false }),
    },
    managedUsers: { count: () => Promise.resolve(0) },
    userCounts: { find: none },
    observations: { responsesSince: none, resolverUses: none },
    probe: { encrypts },
    countAgain: () => undefined,
    clock: { now: () => NOW },
    elapsed: elapsed ?? (() => (readingTime += 1_000)),
  });
}

describe('the overview', () => {
  it.each(['security-module.unavailable', 'key.unavailable'] as const)(
    'shows the rest while there is no key to encrypt with (%s), and does not ask for it each time',
    async (code) => {
      let asked = 0;
      const overview = overviewWith(() => {
        asked += 1;
        return Promise.reject(new ServiceError(code, 'away'));
      });
      for (let time = 0; time < 2; time += 1) {
        expect(await overview.read(callerNamed('anna'))).toMatchObject({
          storageEncryption: false,
          tokens: { summary: { total: 0 } },
          licence: { state: 'none' },
        });
      }
      expect(asked).toBe(1);
    },
  );

  it('is read once in a second for all who ask', async () => {
    let [now, readings] = [0, 0];
    const overview = overviewWith(() => Promise.resolve(true), {
      elapsed: () => now,
      counted: () => (readings += 1),
    });
    const ask = (name: string): Promise<unknown> => overview.read(callerNamed(name));
    await Promise.all([ask('anna'), ask('bert')]);
    now = 999;
    await ask('anna');
    expect(readings).toBe(1);
    now = 1_000;
    await Promise.all([ask('anna'), ask('bert')]);
    expect(readings).toBe(2);
  });
});

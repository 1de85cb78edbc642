import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/kernel/clock.ts';
import { InstallationReadings } from '../../src/monitoring/installation-state.ts';
import type { StoredState, TokenCountStore } from '../../src/monitoring/token-count-store.ts';
import type { TokenCountRow } from '../../src/monitoring/token-counts.ts';
import { ServiceMetrics } from '../../src/observability/metrics.ts';
import { CERTIFICATE_2030 } from '../support/values/certificate.ts';
import { configurationOf } from '../support/values/configuration-value.ts';
import { deferred, type Deferred } from '../support/values/until.ts';

const STORED: StoredState = {
  lockedTokens: [],
  openChallenges: 3,
  lastBackup: undefined,
  nextApiTokenEnd: undefined,
};

let now: number;
let asked: Deferred<StoredState>[];
let metrics: ServiceMetrics;

beforeEach(() => {
  now = 1_000;
  asked = [];
  metrics = new ServiceMetrics({ clock: systemClock });
});

interface Given extends Partial<Omit<ConstructorParameters<typeof InstallationReadings>[0], 'counts'>> {
  readonly counts?: Pick<TokenCountStore, 'snapshot'>;
  readonly stored?: TokenCountStore['storedState'];
}

function measure({ counts, stored, ...given }: Given = {}): void {
  const readings = new InstallationReadings({
    configurations: { current: () => Promise.resolve(configurationOf({})) },
    counts: {
      snapshot: () => counts?.snapshot() ?? Promise.resolve({ tokens: [], activeUsers: [] }),
      storedState: (...times) => {
        const question = deferred<StoredState>();
        asked.push(question);
        return stored?.(...times) ?? question.promise;
      },
    },
    clock: systemClock,
    elapsed: () => now,
    ...given,
  });
  metrics.measureInstallation(() => readings.read());
}

async function value(series: string): Promise<number | undefined> {
  return valueIn(await metrics.text(), series);
}

function valueIn(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

describe('metrics of the installation', () => {
  it('say within a second that the database does not answer, have no values then, and do not ask again', async () => {
    measure();
    const begun = performance.now();
    const text = await metrics.text();
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(valueIn(text, 'tankeeper_database_up')).toBe(0);
    expect(valueIn(text, 'tankeeper_open_challenges')).toBeUndefined();
    expect(valueIn(text, 'tankeeper_tokens{active="true",assigned="true"}')).toBeUndefined();
    expect(await value('tankeeper_database_up')).toBe(0);
    expect(asked).toHaveLength(1);
    asked[0]?.resolve(STORED);
    expect(await value('tankeeper_database_up')).toBe(1);
    expect(await value('tankeeper_open_challenges')).toBe(3);
    expect(asked).toHaveLength(1);
  });

  it('have series for the hundred largest realms, and one for the sum of the others', async () => {
    const names = Array.from({ length: 105 }, (_, index) => `r${index}`);
    const row = (realms: readonly string[], tokens: number): TokenCountRow => ({
      realms,
      tokens,
      active: true,
      assigned: false,
    });
    measure({
      configurations: {
        current: () =>
          Promise.resolve(configurationOf({ realms: names.map((name) => ({ name, resolvers: [] })) })),
      },
      counts: {
        snapshot: () =>
          Promise.resolve({
            tokens: [...names.map((name, index) => row([name], index)), row(['r104', 'r103'], 7), row([], 5)],
            activeUsers: [],
          }),
      },
      stored: () =>
        Promise.resolve({
          ...STORED,
          lockedTokens: [
            { realms: ['r104', 'r103'], tokens: 2 },
            { realms: ['r1'], tokens: 4 },
          ],
        }),
    });
    const text = await metrics.text();
    expect(text.match(/^tankeeper_realm_tokens\{/gm)).toHaveLength(102);
    expect(await value('tankeeper_realm_tokens{realm="r104"}')).toBe(111);
    expect(await value('tankeeper_realm_tokens{realm="r4"}')).toBeUndefined();
    expect(await value('tankeeper_realm_tokens{realm="(other)"}')).toBe(0 + 1 + 2 + 3 + 4);
    expect(await value('tankeeper_realm_tokens{realm="/:no realm:/"}')).toBe(5);
    expect(await value('tankeeper_realm_locked_tokens{realm="r104"}')).toBe(2);
    expect(await value('tankeeper_realm_locked_tokens{realm="(other)"}')).toBe(4);
    // Each once.
    expect(await value('tankeeper_locked_tokens')).toBe(6);
    expect(await value('tankeeper_tokens{active="true",assigned="false"}')).toBe((104 * 105) / 2 + 12);
  });

  it('tell when the licence ends, and when the last backup was made', async () => {
    const settings = new Map([['monitoring.license', '{"user-num": 1, "expire": "1970-01-01"}']]);
    measure({
      configurations: { current: () => Promise.resolve(configurationOf({ settings })) },
      stored: () => Promise.resolve({ ...STORED, lastBackup: new Date(7_000) }),
    });
    expect(await value('tankeeper_licence_valid')).toBe(0);
    expect(await value('tankeeper_licence_expiry_timestamp_seconds')).toBe(86_400);
    expect(await value('tankeeper_backup_last_export_timestamp_seconds')).toBe(7);
  });

  it('tell which API token and which certificate of a resolver end next', async () => {
    const configuration = configurationOf({
      resolvers: [
        { name: 'people', kind: 'ldap', settings: { CACERTIFICATE: `${CERTIFICATE_2030}\n` } },
        { name: 'plain', kind: 'ldap', settings: {} },
        {
          name: 'broken',
          kind: 'ldap',
          settings: { CACERTIFICATE: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
        },
      ],
    });
    measure({
      stored: () => Promise.resolve({ ...STORED, nextApiTokenEnd: new Date(9_000) }),
      configurations: { current: () => Promise.resolve(configuration) },
    });
    const certificate = 'tankeeper_resolver_certificate_expiry_timestamp_seconds';
    expect(await value('tankeeper_api_token_next_expiry_timestamp_seconds')).toBe(9);
    expect(await value(`${certificate}{resolver="people"}`)).toBe(Date.UTC(2030, 0, 1) / 1000);
    expect(await value(`${certificate}{resolver="plain"}`)).toBeUndefined();
    expect(await value(`${certificate}{resolver="broken"}`)).toBeUndefined();
  });
});

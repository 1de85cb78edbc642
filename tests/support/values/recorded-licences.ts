import type { Clock } from '../../../src/kernel/clock.ts';
import { LICENCE_KEY } from '../../../src/configuration/licence.ts';
import { actOf } from '../../../src/policy/caller.ts';
import type { Services } from '../../../src/services.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { recordedState } from './monitoring-fixture.ts';
import { OPERATOR } from './callers.ts';
import { insertTokens, type TokenSketch } from '../database/token-rows.ts';

interface RecordedServer {
  readonly services: Pick<Services, 'configuration'>;
  readonly test: Pick<TestDatabase, 'database'>;
}

/** A time at which the recorded licence for users was valid. */
const THEN = new Date('2018-06-01T12:00:00Z');

/**
 * Licences and tokens by the names of the recordings: `lic_2018/user-num=4, 3 users active GET`. Ours have the
 * recorded numbers and dates.
 */
export class RecordedLicences implements Clock {
  readonly #present: Clock;
  #time: Date | undefined;
  #prepared = '';

  /** @param present the time at all recordings but those of 2018 */
  constructor(present: Clock) {
    this.#present = present;
  }

  /** @returns the time at the recording that was prepared last */
  now(): Date {
    return this.#time ?? this.#present.now();
  }

  /**
   * Stores the licence and the tokens of the recording of that name; for other recordings the usual tokens, which exist
   * at first, and no licence.
   */
  async prepare({ services, test: { database } }: RecordedServer, name: string): Promise<void> {
    const prepared = name.startsWith('lic_') ? name : '';
    if (prepared === this.#prepared) {
      return;
    }
    this.#prepared = prepared;
    this.#time = name.startsWith('lic_2018/') ? THEN : undefined;
    await database.knex('tokens').delete();
    await insertTokens(database, prepared === '' ? recordedState().tokens : tokensOf(name));
    const licence = licenceOf(name);
    const act = actOf(OPERATOR, 'configuration/set');
    await (licence === undefined
      ? services.configuration.removeSetting(LICENCE_KEY, act)
      : services.configuration.putSettings(new Map([[LICENCE_KEY, licence]]), act));
  }
}

function licenceOf(name: string): string | undefined {
  if (name.startsWith('lic_2018/') || name.includes('license of 2018')) {
    return '{"licensee": "users", "expire": "2018-11-19", "user-num": 4}';
  }
  if (name.includes('/demo token-num=5')) {
    return '{"licensee": "demo", "expire": "2099-12-31", "token-num": 5}';
  }
  return name.includes('/garbage licence text') ? 'no licence at all' : undefined;
}

/** Adds tokens that do not count: a disabled one, and for users an unassigned one. */
function tokensOf(name: string): readonly TokenSketch[] {
  const [, users] = /(\d+) users? active/.exec(name) ?? [];
  const [, tokens] = /, (\d+) active/.exec(name) ?? [];
  const owner = (index: number): Required<TokenSketch>['owner'] => ({
    resolver: 'passwdone',
    userId: `user${index}`,
  });
  const off: TokenSketch = { serial: 'OFF', realms: ['mydefrealm'], active: false, owner: owner(0) };
  if (users !== undefined) {
    return [
      off,
      { serial: 'UNASSIGNED', realms: ['mydefrealm'] },
      { serial: 'SECOND', realms: [], owner: owner(1) },
      ...numbers(users).map((index) => ({
        serial: `U${index}`,
        realms: ['mydefrealm'],
        owner: owner(index),
      })),
    ];
  }
  return [
    off,
    ...numbers(tokens ?? '0').map((index) => ({
      serial: `T${index}`,
      realms: index % 3 === 0 ? [] : ['mydefrealm'],
      ...(index % 2 === 0 ? { owner: owner(1) } : {}),
    })),
  ];
}

/** @returns 1, 2, … up to the number */
function numbers(most: string): readonly number[] {
  return Array.from({ length: Number(most) }, (_, index) => index + 1);
}

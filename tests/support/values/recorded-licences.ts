import type { Clock } from '../../../src/kernel/clock.ts';
import type { LicenceSignature } from '../../../src/monitoring/licence.ts';
import type { Database } from '../../../src/database/database.ts';
import { recordedState } from './monitoring-fixture.ts';
import { type LicenceVendor, licenceVendor, tampered } from './signed-licence.ts';
import { insertTokens, type TokenSketch } from '../database/token-rows.ts';

/** A time at which the recorded licence for users was valid. */
const THEN = new Date('2018-06-01T12:00:00Z');

/**
 * Licences and tokens by the names of the recordings: `lic_2018/user-num=4, 3 users active GET`. The recorded licences
 * were signed by their vendor; ours are signed here, with the same numbers and dates.
 */
export class RecordedLicences implements Clock {
  readonly #vendor: LicenceVendor = licenceVendor();
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

  get signature(): LicenceSignature {
    return this.#vendor.signature;
  }

  /**
   * Stores the licence and the tokens of the recording of that name; for other recordings the usual tokens, which exist
   * at first, and no licence.
   */
  async prepare(database: Database, name: string): Promise<void> {
    const prepared = name.startsWith('lic_') ? name : '';
    if (prepared === this.#prepared) {
      return;
    }
    this.#prepared = prepared;
    this.#time = name.startsWith('lic_2018/') ? THEN : undefined;
    const { knex } = database;
    await knex('tokens').delete();
    await insertTokens(database, prepared === '' ? recordedState().tokens : tokensOf(name));
    await knex('licence').delete();
    const text = await this.#licenceOf(name);
    if (text !== undefined) {
      await knex('licence').insert({ text });
    }
  }

  async #licenceOf(name: string): Promise<string | undefined> {
    const demo = { licensee: 'demo', expire: '2099-12-31', 'token-num': 5 };
    if (name.startsWith('lic_2018/') || name.includes('license of 2018')) {
      return this.#vendor.sign({ licensee: 'users', expire: '2018-11-19', 'user-num': 4 });
    }
    if (name.includes('/demo token-num=5')) {
      return this.#vendor.sign(demo);
    }
    if (name.includes('/tampered token-num')) {
      return tampered(await this.#vendor.sign(demo), { ...demo, 'token-num': 500 });
    }
    return name.includes('/garbage licence text') ? 'no licence at all' : undefined;
  }
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

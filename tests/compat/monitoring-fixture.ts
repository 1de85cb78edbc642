import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LICENCE_KEY } from '../../src/configuration/licence.ts';
import { actOf } from '../../src/policy/caller.ts';
import type { Policy } from '../../src/policy/stored-policy.ts';
import type { TestApplication } from '../support/application/test-application.ts';
import { type StateSketch, type TokenSketch, insertTokens } from '../support/database/token-rows.ts';
import { OPERATOR } from '../support/values/callers.ts';

/** A time at which the recorded licence for users was valid. */
const THEN = new Date('2018-06-01T12:00:00Z');

/**
 * Licences and tokens by the names of the recordings: `lic_2018/user-num=4, 3 users active GET`. Ours have the
 * recorded numbers and dates.
 */
export class RecordedLicences {
  readonly #application: TestApplication;
  /** The time at all recordings but those of 2018. */
  readonly #present: Date;
  #prepared = '';

  constructor(application: TestApplication) {
    this.#application = application;
    this.#present = application.clock.now();
  }

  /**
   * Stores the licence and the tokens of the recording of that name; for other recordings the usual tokens, which exist
   * at first, and no licence.
   */
  async prepare(name: string): Promise<void> {
    const { clock, services, sql } = this.#application;
    const prepared = name.startsWith('lic_') ? name : '';
    if (prepared === this.#prepared) {
      return;
    }
    this.#prepared = prepared;
    clock.set(name.startsWith('lic_2018/') ? THEN : this.#present);
    await sql('tokens').delete();
    await insertTokens({ knex: sql }, prepared === '' ? recordedState().tokens : tokensOf(name));
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

interface Fixture {
  readonly resolvers: readonly { name: string; kind: string; limit?: number; users: readonly string[] }[];
  readonly realms: readonly { name: string; resolvers: readonly string[] }[];
  readonly tokens: readonly {
    serial: string;
    user?: string;
    resolver?: string;
    realms: readonly string[];
    active?: boolean;
  }[];
}

const FIXTURE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../exchanges', 'monitoring-fixture.json'), 'utf8'),
) as Fixture;

/** @returns realms and tokens of the recorded server, to be inserted */
export function recordedState(): StateSketch {
  return {
    resolvers: FIXTURE.resolvers.map(({ name }) => name),
    realms: FIXTURE.realms,
    tokens: FIXTURE.tokens.map(({ serial, user, resolver, realms, active = true }): TokenSketch => {
      const owner =
        user === undefined ? {} : { owner: { resolver: resolver ?? resolverOf(user), userId: user } };
      return { serial, realms, active, ...owner };
    }),
  };
}

/** A resolver for the replay. */
export interface RecordedResolver {
  readonly name: string;
  readonly kind: 'passwd' | 'sql';
  readonly users: readonly string[];
  /** The most users that it reports. */
  readonly limit: number | undefined;
}

/** @returns every resolver with its users */
export function recordedResolvers(): readonly RecordedResolver[] {
  return FIXTURE.resolvers.map(({ name, kind, users, limit }) => ({
    name,
    users,
    limit,
    kind: kind === 'passwd' ? 'passwd' : 'sql',
  }));
}

function resolverOf(user: string): string {
  return FIXTURE.resolvers.find(({ users }) => users.includes(user))?.name ?? '';
}

type Change = Partial<Policy>;

/** The changes to the policy of the administrator `restricted` in each phase. */
const RESTRICTED: Readonly<Record<string, Change>> = {
  pol1: {},
  pol2: { realm: 'MyDefRealm' },
  pol3: { realm: 'nosuchrealm, mydefrealm' },
  pol4: { realm: '*, mydefrealm' },
  pol5: { action: 'tokens' },
  pol6: { action: 'tokens' },
  pol7: { active: false },
  pol8: { time: '* * * * * 1990' },
  pol9: { client: '10.99.0.0/16' },
  pol10: { user: 'RESTRICTED', action: 'tokens' },
  pol11: { user: 'restricted@linotp_admins', action: 'tokens' },
  pol12: { user: 'LinOTP_local_admins:', action: 'tokens' },
  pol13: { user: 're.*', action: 'tokens' },
  pol15: { active: false },
  pol16: { realm: 'nosuchrealm' },
};

/** A further policy of some phases. */
const SECOND: Readonly<Record<string, Change>> = {
  pol5: { user: 'restricted', action: 'tokens,userinfo', realm: 'sqlrealm' },
  pol6: { user: '*', action: '*', realm: 'emptyrealm' },
};

export function recordedPolicies(name: string): readonly Policy[] {
  const phase = /^pol\d+/.exec(name)?.[0] ?? '';
  const restricted = RESTRICTED[phase];
  if (restricted === undefined) {
    return [];
  }
  const second = SECOND[phase];
  const active = phase !== 'pol15';
  return [
    policy('mon_admin', { user: 'admin', active }),
    policy('mon_restricted', {
      user: 'restricted',
      action: 'tokens, userinfo, activeUsers',
      realm: 'mydefrealm',
      ...restricted,
    }),
    policy('mon_helpdesk', { user: 'helpdesk', action: 'tokens', realm: 'mydefrealm, myotherrealm', active }),
    ...(second === undefined ? [] : [policy('mon_restricted2', second)]),
  ];
}

function policy(name: string, change: Change): Policy {
  return {
    scope: 'monitoring',
    action: '*',
    realm: '*',
    user: '*',
    client: '',
    time: '',
    active: true,
    ...change,
    name,
  };
}

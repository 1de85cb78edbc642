import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Policy } from '../../../src/policy/stored-policy.ts';
import type { StateSketch, TokenSketch } from '../database/token-rows.ts';

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
  readFileSync(join(import.meta.dirname, '../../exchanges', 'monitoring-fixture.json'), 'utf8'),
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

/** @returns the policies of the recorded server at the recording of that name */
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

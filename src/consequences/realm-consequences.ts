import type { Configuration } from '../configuration/configuration.ts';
import { listNames, splitList } from '../kernel/text.ts';
import { assertInNoRealm, requireRealm, requireResolver } from '../resolvers/resolver-lookup.ts';
import type { ManagedUserStore } from '../users/managed-user-store.ts';
import type { TokenCountStore } from '../monitoring/token-count-store.ts';
import type { ActiveUserRow } from '../monitoring/token-counts.ts';
import { plainResolverName } from '../policy/policy-conditions.ts';
import { type Consequence, consequence, countText } from './consequence.ts';

/** Consequences of acts on realms and resolvers. Counts are those that the database keeps: no token is read. */
export class RealmConsequences {
  readonly #counts: Pick<TokenCountStore, 'snapshot'>;
  readonly #users: Pick<ManagedUserStore, 'count'>;

  constructor(dependencies: {
    readonly counts: Pick<TokenCountStore, 'snapshot'>;
    readonly users: Pick<ManagedUserStore, 'count'>;
  }) {
    this.#counts = dependencies.counts;
    this.#users = dependencies.users;
  }

  /** @throws ServiceError 'realm.unknown' */
  async ofRemoval(configuration: Configuration, name: string): Promise<readonly Consequence[]> {
    const realm = requireRealm(configuration, name);
    const { tokens, activeUsers } = await this.#counts.snapshot();
    const inside = tokens.filter(({ realms }) => realms.includes(realm.name));
    const leaving = sum(inside.map((row) => row.tokens));
    const homeless = sum(inside.filter(({ realms }) => realms.length === 1).map((row) => row.tokens));
    const lost = usersIn(activeUsers, realm.name, realm.resolvers);
    const policies = policiesFor(configuration, realm.name);
    return [
      ...consequence(
        leaving > 0,
        'realm.tokens',
        `${countText(leaving, 'token')} ${leaving === 1 ? 'leaves' : 'leave'} this realm`,
        { count: leaving },
      ),
      ...consequence(homeless > 0, 'realm.last', `${homeless} of them are in no realm afterwards`, {
        count: homeless,
      }),
      ...consequence(realm.isDefault, 'realm.default', 'it is the default realm'),
      ...consequence(
        lost > 0,
        'realm.users',
        `${countText(lost, 'user')} with active tokens can no longer be named by this realm`,
        { count: lost },
      ),
      ...consequence(
        policies.length > 0,
        'realm.policies',
        `it is named by the policies ${listNames(policies)}`,
        {
          names: policies,
        },
      ),
    ];
  }

  /**
   * @param resolvers the new ones
   * @throws ServiceError 'realm.unknown', 'resolver.unknown'
   */
  async ofChange(
    configuration: Configuration,
    name: string,
    resolvers: readonly string[],
  ): Promise<readonly Consequence[]> {
    const realm = requireRealm(configuration, name);
    resolvers.forEach((one) => requireResolver(configuration, one));
    const dropped = realm.resolvers.filter((one) => !resolvers.includes(one));
    if (dropped.length === 0) {
      return [];
    }
    const users = usersIn((await this.#counts.snapshot()).activeUsers, realm.name, dropped);
    const elsewhere = configuration.realms.filter((one) => one.name !== realm.name);
    const nowhere = dropped.filter((one) => !elsewhere.some((other) => other.resolvers.includes(one)));
    return [
      {
        code: 'realm.resolvers',
        text: `users of ${listNames(dropped)} are no longer found in the realm ${realm.name}`,
        names: dropped,
      },
      ...consequence(
        users > 0,
        'realm.resolver-users',
        `${users} of them ${users === 1 ? 'has' : 'have'} active tokens`,
        { count: users },
      ),
      ...consequence(
        nowhere.length > 0,
        'resolver.no-realm',
        `${listNames(nowhere)} ${nowhere.length === 1 ? 'is' : 'are'} in no realm afterwards`,
        { names: nowhere },
      ),
    ];
  }

  /** @param name the new default realm; null: none */
  ofDefault({ realms }: Configuration, name: string | null): readonly Consequence[] {
    const present = realms.find(({ isDefault }) => isDefault);
    const requested = name?.trim().toLowerCase();
    if (present === undefined || present.name === requested) {
      return [];
    }
    const after =
      requested === undefined
        ? 'are no longer found'
        : `are looked for in ${requested}, no longer in ${present.name}`;
    const names = requested === undefined ? [] : [requested];
    return [{ code: 'realm.new-default', text: `users who are named without a realm ${after}`, names }];
  }

  /** @throws ServiceError 'resolver.unknown'; 'resolver.in-use' for one of a realm: its removal is refused */
  async ofResolverRemoval(configuration: Configuration, name: string): Promise<readonly Consequence[]> {
    const resolver = requireResolver(configuration, name);
    assertInNoRealm(configuration, resolver);
    const users = resolver.kind === 'managed' ? await this.#users.count(resolver.id) : 0;
    const policies = configuration.policies
      .filter(({ user }) => splitList(user).some((entry) => isResolver(entry, resolver.name)))
      .map((policy) => policy.name);
    return [
      ...consequence(
        users > 0,
        'resolver.users',
        `${countText(users, 'user')} with their passwords ${users === 1 ? 'is' : 'are'} removed`,
        { count: users },
      ),
      ...consequence(typeof resolver.secretStamp === 'string', 'resolver.secret', 'its password is removed'),
      ...consequence(
        policies.length > 0,
        'resolver.policies',
        `it is named by the policies ${listNames(policies)}`,
        { names: policies },
      ),
    ];
  }
}

function policiesFor({ policies }: Configuration, realm: string): readonly string[] {
  return policies
    .filter(({ active, realms }) => active && realms !== 'all' && realms.includes(realm))
    .map(({ name }) => name);
}

/** @returns the number of users of these resolvers with active tokens in the realm */
function usersIn(rows: readonly ActiveUserRow[], realm: string, resolvers: readonly string[]): number {
  return sum(
    rows
      .filter(({ realms, resolver }) => realms.includes(realm) && resolvers.includes(resolver))
      .map(({ users }) => users),
  );
}

function isResolver(entry: string, name: string): boolean {
  return entry.endsWith(':') && plainResolverName(entry.replace(/^!\s*/, '').slice(0, -1)) === name;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

import type { NewToken } from '../../../src/tokens/token.ts';
import type { Owner } from '../../../src/users/user.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { Database } from '../../../src/database/database.ts';
import { ManagedUserStore } from '../../../src/users/managed-user-store.ts';
import { ConfigurationStore } from '../../../src/configuration/configuration-store.ts';
import { TokenStore } from '../../../src/tokens/token-store.ts';
import { type Change, NAMES, type Person } from './count-model-steps.ts';
import { ACT, tokenValue } from '../../support/values/token-values.ts';

type Doer<Kind> = (change: Extract<Change, { kind: Kind }>) => Promise<unknown>;

/** Applies the changes of the model through the stores of all services, the command line and imports. */
export class CountModelServices {
  readonly #database: Database;
  readonly #tokens: TokenStore;
  readonly #loading: TokenStore;
  readonly #configuration: ConfigurationStore;
  readonly #users: ManagedUserStore;

  constructor(database: Database) {
    this.#database = database;
    this.#tokens = new TokenStore({ database });
    this.#loading = new TokenStore({ database });
    this.#configuration = new ConfigurationStore({ database, clock: systemClock });
    this.#users = new ManagedUserStore({ database });
  }

  /** @throws the errors of the stores: ServiceError if the change is impossible */
  async apply(change: Change): Promise<void> {
    await (this.#doers[change.kind] as (change: Change) => Promise<unknown>)(change);
  }

  readonly #doers: { readonly [Kind in Change['kind']]: Doer<Kind> } = {
    enrol: async ({ serial, active, realms, owner }) =>
      this.#tokens.insert(
        this.#token(serial, {
          active,
          realms: await this.#existing(realms),
          owner: await this.#owner(owner),
        }),
        ACT,
        // Of a generated serial the statement is shared, of a given one it is not.
        serial.charCodeAt(serial.length - 1) % 2 === 0 ? 'generated' : 'given',
      ),
    assign: async ({ serial, owner }) =>
      this.#tokens.update(serial, { owner: await this.#owner(owner) }, ACT),
    enable: ({ serial, active }) => this.#tokens.update(serial, { active }, ACT),
    move: async ({ serial, realms }) =>
      this.#tokens.update(serial, { realms: await this.#existing(realms) }, ACT),
    remove: async ({ serial }) => this.#tokens.removeAll(await this.#those([serial]), ACT),
    'enable all': ({ serials, active }) => this.#changeAll(serials, { active }),
    'move all': async ({ serials, realms }) =>
      this.#changeAll(serials, { realms: await this.#existing(realms) }),
    'assign all': async ({ serials, owner }) => this.#changeAll(serials, { owner: await this.#owner(owner) }),
    'remove all': async ({ serials }) => this.#tokens.removeAll(await this.#those(serials), ACT),
    import: async ({ serials, realms }) => {
      const there = await this.#those(serials);
      const fresh = serials.filter((serial) => !there.includes(serial));
      const existing = await this.#existing(realms);
      await this.#loading.insertAll(
        fresh.map((serial) => ({ ...this.#token(serial, {}), realms: existing })),
        ACT,
      );
    },
    settle: ({ serial, failCount }) => this.#tokens.update(serial, { failCount, replayMarkers: ['1'] }, ACT),
    'put realm': ({ realm, resolvers }) => this.#configuration.putRealm(realm, resolvers, ACT),
    'remove realm': ({ realm }) => this.#configuration.removeRealm(realm, ACT),
    'put resolver': ({ resolver }) =>
      this.#configuration.putResolver({ name: resolver, kind: NAMES.resolvers[resolver], settings: {} }, ACT),
    'remove resolver': ({ resolver }) => this.#configuration.removeResolver(resolver, ACT),
    'add user': async ({ user }) => {
      const { resolverId } = await this.#look(user);
      const names = { givenName: '', surname: '', email: '', phone: '', passwordHash: null };
      await this.#users.insert(resolverId, { login: user.login, ...names }, ACT);
    },
    'remove user': async ({ user }) => {
      const { resolverId, userId } = await this.#look(user);
      await this.#users.remove(resolverId, userId, ACT);
    },
  };

  #token(serial: string, changes: Partial<NewToken>): NewToken {
    return tokenValue(serial, changes);
  }

  async #changeAll(serials: readonly string[], change: Partial<NewToken>): Promise<void> {
    const there = await this.#those(serials);
    await this.#tokens.updateAll(new Map(there.map((serial) => [serial, change])), ACT);
  }

  /** @returns the existing ones of the serials: a bulk change is all or nothing */
  async #those(serials: readonly string[]): Promise<readonly string[]> {
    return this.#database.knex('tokens').whereIn('serial', serials).pluck<string[]>('serial');
  }

  /** @returns the ones of the realms that existed a moment ago */
  async #existing(realms: readonly string[]): Promise<readonly string[]> {
    return this.#database.knex('realms').whereIn('name', realms).pluck<string[]>('name');
  }

  async #owner(person: Person | null): Promise<Owner | null> {
    return person === null ? null : this.#look(person);
  }

  /** Returns '0' as the ids if there is no such resolver or user: the stores then refuse. */
  async #look({ resolver, login }: Person): Promise<Owner> {
    const { rows } = await this.#database.knex.raw<{ rows: { resolver: string; id: string | null }[] }>(
      `SELECT r.id AS resolver, CASE r.kind WHEN 'managed' THEN coalesce(u.id, 0)::text ELSE :login END AS id
       FROM resolvers r LEFT JOIN users u ON u.resolver_id = r.id AND u.login = :login WHERE r.name = :resolver`,
      { resolver, login },
    );
    const [found] = rows;
    return { resolverId: found?.resolver ?? '0', resolver, userId: found?.id ?? '0', login };
  }
}

import { z } from 'zod';
import { STORED_STATES } from '../challenges/transaction-service.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import { isStorable } from '../kernel/text.ts';
import { type AccessControl, boundsOf, type Grant, holdsIn } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type { OwnSessionStore } from '../self-service/own-session-store.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { isVisible, type Token, unknownSerial } from '../tokens/token.ts';
import { TOKEN, viewOf } from '../tokens/token-view.ts';
import type { ResolvedUser, UserDirectory, UserReference } from '../users/user-directory.ts';
import type { LatestTransaction, LatestTransactionStore } from './helpdesk-store.ts';

const count = z.int().nonnegative();

/** The latest transactions of tokens. */
export const LATEST_TRANSACTIONS = z
  .array(
    z.object({
      transactionId: z.string().meta({ column: 'TRANSACTION' }),
      serial: z.string(),
      issuedAt: z.date().meta({ column: 'ISSUED' }),
      state: z.enum(STORED_STATES).meta({ column: 'STATE' }),
      failCount: count.meta({ column: 'WRONG', description: 'the number of wrong responses' }),
    }),
  )
  .nullable()
  .describe('those that are stored, newest first; null: the caller lacks the right `admin:transaction`');

/** A user with their tokens. */
export const PERSON_WITH_TOKENS = z.object({
  login: z.string(),
  realm: z.string(),
  resolver: z.string(),
  details: z
    .object({ givenName: z.string(), surname: z.string(), email: z.string(), phone: z.string() })
    .nullable()
    .describe('null: the caller lacks the right `admin:userlist`'),
  // By serial.
  tokens: z.array(TOKEN).meta({ column: 'Tokens', description: 'the first hundred' }),
  hasMore: z.boolean().describe('true: there are further tokens'),
  transactions: LATEST_TRANSACTIONS.meta({ column: 'Transactions' }),
  sessions: count
    .nullable()
    .describe('open sessions at the account page; null: the caller lacks the right `admin:sessions`'),
});

type Person = ReadonlyDeep<z.output<typeof PERSON_WITH_TOKENS>>;
type LatestTransactions = ReadonlyDeep<z.output<typeof LATEST_TRANSACTIONS>>;

const MAX_TOKENS = 100;
const MAX_TRANSACTIONS = 20;

/** The view of the helpdesk on a user or a token. */
export class PersonService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    readonly users: UserDirectory;
    readonly tokens: Pick<TokenStore, 'findBySerial' | 'list'>;
    readonly transactions: LatestTransactionStore;
    readonly sessions: Pick<OwnSessionStore, 'countOpen' | 'endAll'>;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Takes the right `admin:show`; the details also take `admin:userlist`, the transactions `admin:transaction`, the
   * sessions `admin:sessions`.
   * @throws ServiceError 'right.missing', 'user.unknown' also for a user of none of the caller's realms,
   *   'resolver.unavailable'
   */
  async person(caller: Caller, reference: UserReference): Promise<Person> {
    const { configuration, grant } = await this.#authorize(caller);
    const user = await this.#deps.users.resolve(configuration, reference, grant.realms);
    const { login, realm, resolver, userId } = user;
    const found = await this.#deps.tokens.list({
      owner: { resolverId: resolver.id, userId },
      inRealms: boundsOf(grant),
      limit: MAX_TOKENS + 1,
    });
    const tokens = found.slice(0, MAX_TOKENS).filter((token) => isVisible(token, grant));
    const listed = this.#deps.access.grantOf(configuration, caller, { scope: 'admin', action: 'userlist' });
    const isDescribed = listed !== undefined && holdsIn(listed, realm.name);
    const { givenName, surname, email, phone } = user;
    const viewing = { configuration, grant, now: this.#deps.clock.now() };
    return {
      login,
      realm: realm.name,
      resolver: resolver.name,
      details: isDescribed ? { givenName, surname, email, phone } : null,
      tokens: tokens.map((token) => viewOf(token, viewing)),
      hasMore: found.length > MAX_TOKENS,
      transactions: await this.#transactions(caller, configuration, tokens),
      sessions: await this.#sessions(caller, configuration, user),
    };
  }

  async #sessions(caller: Caller, configuration: Configuration, user: ResolvedUser): Promise<number | null> {
    const { access, sessions, clock } = this.#deps;
    const { resolver, realm, userId } = user;
    const grant = access.grantOf(configuration, caller, { scope: 'admin', action: 'sessions' });
    return grant !== undefined && holdsIn(grant, realm.name)
      ? sessions.countOpen({ resolverId: resolver.id, userId }, clock.now(), boundsOf(grant))
      : null;
  }

  /**
   * Ends the sessions of a user at the account page, and the sign-ins under way. Takes the right `admin:sessions`, and
   * ends those in the caller's realms.
   * @returns the number of sessions that were open
   * @throws ServiceError as `person`
   */
  async endSessions(caller: Caller, reference: UserReference): Promise<number> {
    const { access, users, sessions, clock } = this.#deps;
    const { configuration, grant } = await access.authorizeAdmin(
      this.#deps.configuration,
      caller,
      'sessions',
    );
    const { resolver, userId, login } = await users.resolve(configuration, reference, grant.realms);
    const owner = { resolverId: resolver.id, userId, login };
    return sessions.endAll(owner, clock.now(), boundsOf(grant), actOf(caller, 'user/session'));
  }

  /**
   * Takes the right `admin:show`.
   * @returns the serials of the user's visible tokens, of the first hundred
   * @throws ServiceError as `person`
   */
  async serialsOf(caller: Caller, reference: UserReference): Promise<readonly string[]> {
    const { configuration, grant } = await this.#authorize(caller);
    const { resolver, userId } = await this.#deps.users.resolve(configuration, reference, grant.realms);
    const tokens = await this.#deps.tokens.list({
      owner: { resolverId: resolver.id, userId },
      inRealms: boundsOf(grant),
      limit: MAX_TOKENS,
    });
    return tokens.filter((token) => isVisible(token, grant)).map(({ serial }) => serial);
  }

  /**
   * Takes the right `admin:show`; the transactions also take `admin:transaction`.
   * @returns the latest transactions of a token, newest first; null: the caller has no right to them
   * @throws ServiceError 'right.missing', 'token.unknown' also for a token in none of the caller's realms
   */
  async latestOf(caller: Caller, serial: string): Promise<LatestTransactions> {
    const { configuration, grant } = await this.#authorize(caller);
    const token = isStorable(serial) ? await this.#deps.tokens.findBySerial(serial) : undefined;
    if (token === undefined || !isVisible(token, grant)) {
      throw unknownSerial(serial);
    }
    return this.#transactions(caller, configuration, [token]);
  }

  async #transactions(
    caller: Caller,
    configuration: Configuration,
    tokens: readonly Token[],
  ): Promise<LatestTransactions> {
    const { access, transactions, clock } = this.#deps;
    const grant = access.grantOf(configuration, caller, { scope: 'admin', action: 'transaction' });
    if (grant === undefined) {
      return null;
    }
    const ids = tokens.filter((token) => isVisible(token, grant)).map(({ id }) => id);
    const now = clock.now();
    const latest =
      ids.length === 0 ? [] : await transactions.ofTokens(ids, MAX_TRANSACTIONS, boundsOf(grant));
    return latest.map(({ closedBy, expiresAt, ...stored }) => ({
      ...stored,
      state: stateOf(closedBy, expiresAt <= now),
    }));
  }

  #authorize(caller: Caller): Promise<{ configuration: Configuration; grant: Grant }> {
    return this.#deps.access.authorizeAdmin(this.#deps.configuration, caller, 'show');
  }
}

function stateOf(
  closedBy: LatestTransaction['closedBy'],
  isOver: boolean,
): NonNullable<LatestTransactions>[number]['state'] {
  if (closedBy === null) {
    return isOver ? 'expired' : 'open';
  }
  return closedBy === 'exhausted' ? 'given up' : closedBy;
}

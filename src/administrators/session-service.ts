import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { composed } from '../kernel/text.ts';
import type { AccessControl } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type { ListedSession, SessionChoice } from './session.ts';
import type { SessionStore } from './session-store.ts';

/** The most sessions of one list. */
const MAX_SESSIONS = 1_000;

/**
 * The open sessions and logins. One's own need no right, but a password, a session or a login. An API token takes the
 * right `admin:sessions` for them, too, as everybody does for those of others, without a bound by realms.
 */
export class SessionService {
  readonly #deps;

  constructor(dependencies: {
    readonly sessions: SessionStore;
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * @param named the owner; `*`: everybody's; undefined: the caller's own, for an operator everybody's
   * @returns open sessions, newest first, a thousand at most
   * @throws ServiceError 'right.missing'
   */
  async list(caller: Caller, named?: string): Promise<readonly ListedSession[]> {
    const { administrator, operator, proof } = caller.principal;
    const owner = composed(named ?? (operator ? '*' : administrator));
    await this.#authorize(caller, owner);
    return this.#deps.sessions.list(owner === '*' ? undefined : owner, {
      now: this.#deps.clock.now(),
      max: MAX_SESSIONS,
      own: typeof proof === 'object' ? proof.hash : undefined,
    });
  }

  /**
   * Ends a session, or all of the owner, by default the caller. Every server refuses them within a second.
   * @returns the number of sessions that were open
   * @throws ServiceError 'right.missing', 'parameter.missing', 'parameter.invalid' for an invalid id
   */
  async end(
    caller: Caller,
    {
      isAll,
      // An operator at the machine is no administrator.
      owner = caller.principal.operator ? undefined : caller.principal.administrator,
      id,
    }: Omit<SessionChoice, 'owner'> & { readonly owner?: string | undefined; readonly isAll: boolean },
  ): Promise<number> {
    if (owner === undefined) {
      throw new ServiceError('parameter.missing', 'Name the administrator whose sessions end', {
        parameters: ['administrator'],
      });
    }
    const choice = { id, owner: composed(owner) };
    await this.#authorize(caller, choice.owner);
    if ((choice.id === undefined) !== isAll) {
      throw new ServiceError('parameter.missing', 'Name one session by id, or all of them by all=1', {
        parameters: ['id', 'all'],
      });
    }
    if (choice.id !== undefined && !/^[1-9]\d{0,17}$/.test(choice.id)) {
      throw new ServiceError('parameter.invalid', 'The id of a session is a number', { parameter: 'id' });
    }
    return this.#deps.sessions.end(choice, this.#deps.clock.now(), actOf(caller, 'administrator/session'));
  }

  async #authorize(caller: Caller, owner: string): Promise<void> {
    const { administrator, proof } = caller.principal;
    if (owner === administrator && proof !== undefined) {
      return;
    }
    const { access, configuration } = this.#deps;
    const { grant } = await access.authorizeAdmin(configuration, caller, 'sessions');
    if (grant.realms !== 'all') {
      throw new ServiceError(
        'right.missing',
        'The right admin:sessions is bound to realms, and sessions are in none',
      );
    }
  }
}

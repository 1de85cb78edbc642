import { Semaphore } from '../../../kernel/bounded-work.ts';
import { LdapConnection, LdapFault, type LdapTransport } from './ldap-connection.ts';
import type { LdapServer } from '../../settings/ldap-settings.ts';

const MAX_CONNECTIONS = 4;
/** Milliseconds. */
const MAX_IDLE_MS = 60_000;
/** Milliseconds that a running request has left when all connections are closed. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * The connections to a directory: a few bound ones for searches, which are kept for a while, and others for one bind
 * each. Of several servers the one that answered last is tried first, and the next one after a failure.
 */
export class LdapConnections {
  readonly #transport: LdapTransport;
  readonly #password: () => Promise<string>;
  readonly #searches: Semaphore;
  readonly #binds: Semaphore;
  readonly #idle = new Map<LdapConnection, NodeJS.Timeout>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #inUse = new Set<LdapConnection>();
  #preferred = 0;
  #closed = false;

  /** @param password of `bindDn`; empty: there is none */
  constructor({ transport, password }: { transport: LdapTransport; password: () => Promise<string> }) {
    this.#transport = transport;
    this.#password = password;
    const limit = {
      timeoutMs: transport.answerTimeout,
      refuse: () => new LdapFault('busy', 'too many questions wait for the directory'),
    };
    this.#searches = new Semaphore(MAX_CONNECTIONS, limit);
    this.#binds = new Semaphore(MAX_CONNECTIONS, limit);
  }

  /**
   * Runs a search on a connection that is bound as BINDDN.
   * @param work runs again, on a new connection, if a kept one turns out to be closed
   * @throws LdapFault
   */
  search<T>(work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    return this.#track(
      this.#searches.run(async () => {
        const kept = this.#acquireIdle();
        if (kept !== undefined) {
          try {
            return await this.#workOn(kept, work);
          } catch (fault) {
            if (!(fault instanceof LdapFault && fault.kind === 'lost')) {
              throw fault;
            }
          }
        }
        return this.#workOn(await this.#open(), work);
      }),
    );
  }

  /**
   * Tries a name and a password on a connection of its own.
   * @throws LdapFault, 'refused' if the directory does not accept them
   */
  bind(dn: string, password: string): Promise<void> {
    return this.#track(
      this.#binds.run(() =>
        this.#onServers(async (connection) => {
          try {
            await connection.bind(dn, password);
          } finally {
            connection.close();
          }
        }),
      ),
    );
  }

  /** Ends all connections; running requests may finish within two seconds. */
  async close(): Promise<void> {
    this.#closed = true;
    for (let idle = this.#acquireIdle(); idle !== undefined; idle = this.#acquireIdle()) {
      idle.close();
    }
    const cut = setTimeout(() => {
      this.#inUse.forEach((connection) => {
        connection.close();
      });
    }, CLOSE_TIMEOUT_MS);
    await Promise.allSettled(this.#underWay);
    clearTimeout(cut);
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  async #open(): Promise<LdapConnection> {
    const { bindDn } = this.#transport;
    const password = bindDn === '' ? '' : await this.#password();
    if (bindDn !== '' && password === '') {
      // RFC 4513 §5.1.2: with a name and no password the server would treat the bind as anonymous.
      throw new LdapFault('settings', 'BINDDN is set without a password');
    }
    return this.#onServers(async (connection) => {
      await connection.bind(bindDn, password);
      return connection;
    });
  }

  async #workOn<T>(connection: LdapConnection, work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    this.#inUse.add(connection);
    try {
      return await work(connection);
    } catch (fault) {
      this.#avoid(connection.server, fault);
      throw fault instanceof LdapFault ? withServer(fault, connection.server) : fault;
    } finally {
      this.#inUse.delete(connection);
      this.#keep(connection);
    }
  }

  /** Connects to one server after the other until `work` succeeds. */
  async #onServers<T>(work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    const { servers } = this.#transport;
    const first = this.#preferred;
    const faults: LdapFault[] = [];
    for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
      try {
        return await this.#onServer(server, work);
      } catch (fault) {
        this.#avoid(server, fault);
        if (!(fault instanceof LdapFault && fault.isOfTheServer)) {
          throw fault instanceof LdapFault ? withServer(fault, server) : fault;
        }
        faults.push(withServer(fault, server));
      }
    }
    throw joined(faults);
  }

  async #onServer<T>(server: LdapServer, work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    const connection = await LdapConnection.open(server, this.#transport);
    this.#inUse.add(connection);
    try {
      return await work(connection);
    } catch (fault) {
      connection.close();
      throw fault;
    } finally {
      this.#inUse.delete(connection);
    }
  }

  #avoid(server: LdapServer, fault: unknown): void {
    const { servers } = this.#transport;
    if (fault instanceof LdapFault && fault.isOfTheServer && servers[this.#preferred] === server) {
      this.#preferred = (this.#preferred + 1) % servers.length;
    }
  }

  #acquireIdle(): LdapConnection | undefined {
    for (const [connection, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(connection);
      if (connection.isOpen) {
        return connection;
      }
    }
    return undefined;
  }

  #keep(connection: LdapConnection): void {
    if (this.#closed || !connection.isOpen) {
      connection.close();
      return;
    }
    const timer = setTimeout(() => {
      this.#idle.delete(connection);
      connection.close();
    }, MAX_IDLE_MS);
    timer.unref();
    this.#idle.set(connection, timer);
  }
}

function withServer(fault: LdapFault, { host, port }: LdapServer): LdapFault {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new LdapFault(fault.kind, fault.message, {
    detail: `${address} ${fault.detail ?? fault.message}`,
    cause: fault,
    ...(fault.resultCode === undefined ? {} : { resultCode: fault.resultCode }),
  });
}

/** @returns one fault with the reasons of all servers, each reason once */
function joined(faults: readonly LdapFault[]): LdapFault {
  const [only, ...others] = faults;
  if (only !== undefined && others.length === 0) {
    return only;
  }
  const reasons = [...new Set(faults.map(({ message }) => message))].join('; ');
  return new LdapFault('unreachable', `none of its servers is of use: ${reasons}`, {
    detail: faults.map(({ detail }) => detail).join('; '),
  });
}

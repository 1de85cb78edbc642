import {
  BindRequest,
  ExtendedRequest,
  type Filter,
  PagedResultsControl,
  type SearchEntry,
  SearchRequest,
} from 'ldapts';
import { LdapExchange, LdapFault } from './ldap-exchange.ts';
import type { LdapServer } from '../../settings/ldap-settings.ts';
import type { LdapTransport } from './ldap-configuration.ts';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { connectionReason } from '../../user-source.ts';

export interface LdapSearch {
  readonly base: string;
  readonly scope: 'base' | 'sub';
  readonly filter: Filter;
  /** The requested attributes; `1.1` requests none. */
  readonly attributes: readonly string[];
}

type OnEntry = (entry: SearchEntry) => void;

/** A page, and the cookie for the next one. */
interface Page {
  readonly size: number;
  readonly entries: number;
  readonly cookie?: Buffer;
}

/** OID of StartTLS (RFC 4511 §4.14). */
const START_TLS = '1.3.6.1.4.1.1466.20037';
/** Entries of a page; if a server refuses so many, the next size is tried. */
const PAGE_SIZES: readonly number[] = [500, 100, 20];
const ADMIN_LIMIT_EXCEEDED = 11;
const MAX_EMPTY_PAGES = 100;
/** Milliseconds for all pages together: an endless answer must not hold a connection for ever. */
const MAX_SEARCH_MS = 300_000;

/** A connection to a server, anonymous until it is bound. */
export class LdapConnection {
  readonly server: LdapServer;
  readonly #exchange: LdapExchange;
  readonly #timeout: number;

  private constructor(server: LdapServer, exchange: LdapExchange, timeout: number) {
    this.server = server;
    this.#exchange = exchange;
    this.#timeout = timeout;
  }

  /** Connects, and begins TLS first if it is configured. @throws LdapFault */
  static async open(server: LdapServer, transport: LdapTransport): Promise<LdapConnection> {
    const { connectTimeout, answerTimeout } = transport;
    let socket = await openSocket(server, connectTimeout);
    if (!server.secure && transport.startTls) {
      const plain = new LdapExchange(socket);
      await requireTls(plain, connectTimeout);
      socket = plain.release();
    }
    if (server.secure || transport.startTls) {
      socket = await secureSocket(socket, server, transport, connectTimeout);
    }
    return new LdapConnection(server, new LdapExchange(socket), answerTimeout);
  }

  get isOpen(): boolean {
    return this.#exchange.isOpen;
  }

  /** A simple bind (RFC 4513 §5.1); anonymous with an empty name and an empty password. @throws LdapFault */
  async bind(dn: string, password: string): Promise<void> {
    await this.#exchange.ask(new BindRequest({ messageId: 0, dn, password }), this.#timeout);
  }

  /**
   * @param limit the most entries of the answer; a longer one is refused or cut off
   * @throws LdapFault
   */
  async find(search: LdapSearch, limit: number): Promise<readonly SearchEntry[]> {
    const entries: SearchEntry[] = [];
    await this.#exchange.ask(this.#requestFor(search, { sizeLimit: limit }), this.#timeout, (entry) => {
      if (entries.length === limit) {
        throw new LdapFault('answer', 'the server sends more entries than it was asked for');
      }
      entries.push(entry);
    });
    return entries;
  }

  /**
   * Passes all entries one after the other, page by page (RFC 2696), and keeps none.
   * @param onEntry an error that it throws ends the search and the connection
   * @param isEnough is called between pages; true ends the search
   * @throws LdapFault
   */
  async each(search: LdapSearch, onEntry: OnEntry, isEnough = (): boolean => false): Promise<void> {
    const end = performance.now() + MAX_SEARCH_MS;
    let emptyPages = 0;
    let page = await this.#firstPage(search, onEntry);
    while (page.cookie !== undefined && !isEnough()) {
      // A page without entries is not the end; many of them count as no answer.
      emptyPages = page.entries === 0 ? emptyPages + 1 : 0;
      if (emptyPages > MAX_EMPTY_PAGES || performance.now() > end) {
        this.close();
        throw new LdapFault('silent', 'the server does not come to an end');
      }
      page = await this.#page(search, page, onEntry);
    }
  }

  close(): void {
    this.#exchange.close();
  }

  async #firstPage(search: LdapSearch, onEntry: OnEntry, sizes = PAGE_SIZES): Promise<Page> {
    const [size = 1, ...smaller] = sizes;
    let entries = 0;
    try {
      return await this.#page(search, { size }, (entry) => {
        entries += 1;
        onEntry(entry);
      });
    } catch (fault) {
      const isTooLarge = fault instanceof LdapFault && fault.resultCode === ADMIN_LIMIT_EXCEEDED;
      if (!isTooLarge || entries > 0 || smaller.length === 0) {
        throw fault;
      }
      return this.#firstPage(search, onEntry, smaller);
    }
  }

  /** @param after the page before, of the same size */
  async #page(
    search: LdapSearch,
    { size, cookie: after }: Pick<Page, 'size' | 'cookie'>,
    onEntry: OnEntry,
  ): Promise<Page> {
    const control = new PagedResultsControl({
      value: { size, ...(after === undefined ? {} : { cookie: after }) },
    });
    let entries = 0;
    const request = this.#requestFor(search, { controls: [control] });
    const answer = await this.#exchange.ask(request, this.#timeout, (entry) => {
      entries += 1;
      onEntry(entry);
    });
    const cookie = cookieOf(answer.controls);
    return { size, entries, ...(cookie === undefined ? {} : { cookie }) };
  }

  #requestFor(
    { base, scope, filter, attributes }: LdapSearch,
    options: { sizeLimit?: number; controls?: PagedResultsControl[] },
  ): SearchRequest {
    return new SearchRequest({
      messageId: 0,
      baseDN: base,
      scope,
      filter,
      attributes: [...attributes],
      timeLimit: Math.ceil(this.#timeout / 1000),
      ...options,
    });
  }
}

async function requireTls(exchange: LdapExchange, timeout: number): Promise<void> {
  try {
    await exchange.ask(new ExtendedRequest({ messageId: 0, oid: START_TLS }), timeout);
  } catch (fault) {
    exchange.close();
    throw fault instanceof LdapFault && fault.kind === 'refused'
      ? new LdapFault('unreachable', 'EnforceTLS is set and the server refuses StartTLS', {
          detail: fault.detail,
        })
      : fault;
  }
}

function cookieOf(controls: SearchRequest['controls']): Buffer | undefined {
  const paged = controls?.find((control) => control instanceof PagedResultsControl);
  const cookie = paged?.value?.cookie;
  return cookie === undefined || cookie.length === 0 ? undefined : cookie;
}

type Security = Pick<LdapTransport, 'authority' | 'verified'>;

/** Milliseconds until keep-alive probes; they detect vanished peers behind a firewall. */
const KEEP_ALIVE = 30_000;

/**
 * Opens a TCP connection.
 * @param timeout milliseconds, also for the name's resolution
 * @throws LdapFault 'unreachable'
 */
function openSocket({ host, port }: LdapServer, timeout: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE });
  return ready(socket, 'connect', timeout, (cause) =>
    cause === undefined
      ? new LdapFault('unreachable', `no connection within ${timeout / 1000} s`)
      : new LdapFault('unreachable', 'no connection to the server', {
          cause,
          detail: connectionReason(cause.code) ?? cause.message,
        }),
  );
}

/**
 * Begins TLS on a connection.
 * @param timeout milliseconds
 * @throws LdapFault 'unreachable' that reports a refused certificate as such. The connection is closed then
 */
async function secureSocket(
  plain: Socket,
  { host }: LdapServer,
  { authority, verified }: Security,
  timeout: number,
): Promise<Socket> {
  const socket = connectTls({
    socket: plain,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(authority === undefined ? {} : { ca: authority }),
    rejectUnauthorized: verified,
    minVersion: 'TLSv1.2',
  });
  socket.once('close', () => plain.destroy());
  try {
    return await ready(socket, 'secureConnect', timeout, tlsFault(timeout));
  } catch (fault) {
    plain.destroy();
    throw fault;
  }
}

function tlsFault(timeout: number): (cause: NodeJS.ErrnoException | undefined) => LdapFault {
  return (cause) => {
    if (cause === undefined) {
      return new LdapFault('unreachable', `no TLS within ${timeout / 1000} s`);
    }
    const words = /^(?:CERT_|DEPTH_|SELF_|UNABLE_|INVALID_|ERR_TLS_CERT)/.test(cause.code ?? '')
      ? "the server's certificate is not trusted"
      : 'TLS cannot be established';
    return new LdapFault('unreachable', words, { cause, detail: `${words} (${cause.message})` });
  };
}

/** Waits for a socket's event. A socket that is not ready in time is destroyed. */
async function ready<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  timeout: number,
  faultOf: (cause: NodeJS.ErrnoException | undefined) => LdapFault,
): Promise<S> {
  let timer: NodeJS.Timeout | undefined;
  let onError: ((cause: Error) => void) | undefined;
  // A socket may emit two errors; it has no other listener yet.
  socket.on('error', ignore);
  try {
    await new Promise<void>((resolve, reject) => {
      onError = (cause) => {
        reject(faultOf(cause));
      };
      socket.once('error', onError);
      socket.once(event, resolve);
      timer = setTimeout(() => {
        reject(faultOf(undefined));
      }, timeout);
    });
    return socket;
  } catch (fault) {
    socket.destroy();
    throw fault;
  } finally {
    clearTimeout(timer);
    if (onError !== undefined) {
      socket.off('error', onError);
    }
  }
}

function ignore(): void {
  // The first error has been handled.
}

import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  BindRequest,
  BindResponse,
  ExtendedRequest,
  ExtendedResponse,
  type Filter,
  MessageParser,
  PagedResultsControl,
  SearchEntry,
  SearchReference,
  SearchRequest,
  SearchResponse,
} from 'ldapts';
import type { LdapServer } from '../../settings/ldap-settings.ts';
import { connectionReason } from '../../user-source.ts';

export interface LdapTransport {
  readonly servers: readonly LdapServer[];
  /** A connection without TLS must begin with StartTLS. */
  readonly startTls: boolean;
  /** PEM; undefined: the authorities that Node.js trusts. */
  readonly authority: string | undefined;
  /** Certificates are verified. */
  readonly verified: boolean;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Milliseconds for the answer to one request. */
  readonly answerTimeout: number;
  /** Empty: anonymous. */
  readonly bindDn: string;
}

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
  readonly entries: number;
  readonly cookie?: Buffer;
}

/** OID of StartTLS (RFC 4511 §4.14). */
const START_TLS = '1.3.6.1.4.1.1466.20037';
/** Entries of a page: more than the usual limit of a server would be refused. */
const PAGE_SIZE = 100;
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
    let page = await this.#page(search, onEntry);
    while (page.cookie !== undefined && !isEnough()) {
      // A page without entries is not the end; many of them count as no answer.
      emptyPages = page.entries === 0 ? emptyPages + 1 : 0;
      if (emptyPages > MAX_EMPTY_PAGES || performance.now() > end) {
        this.close();
        throw new LdapFault('silent', 'the server does not come to an end');
      }
      page = await this.#page(search, onEntry, page.cookie);
    }
  }

  close(): void {
    this.#exchange.close();
  }

  /** @param after the cookie of the page before */
  async #page(search: LdapSearch, onEntry: OnEntry, after?: Buffer): Promise<Page> {
    const control = new PagedResultsControl({
      value: { size: PAGE_SIZE, ...(after === undefined ? {} : { cookie: after }) },
    });
    let entries = 0;
    const request = this.#requestFor(search, { controls: [control] });
    const answer = await this.#exchange.ask(request, this.#timeout, (entry) => {
      entries += 1;
      onEntry(entry);
    });
    const cookie = cookieOf(answer.controls);
    return { entries, ...(cookie === undefined ? {} : { cookie }) };
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
  // A socket may emit two errors; it has no other listener yet.
  socket.on('error', ignore);
  const limit = AbortSignal.timeout(timeout);
  try {
    await once(socket, event, { signal: limit });
    return socket;
  } catch (cause) {
    socket.destroy();
    throw faultOf(limit.aborted ? undefined : (cause as NodeJS.ErrnoException));
  }
}

function ignore(): void {
  // The first error has been handled.
}

type LdapRequest = BindRequest | SearchRequest | ExtendedRequest;
type LdapResponse = BindResponse | SearchResponse | ExtendedResponse;

interface Pending {
  readonly id: number;
  /** Recognizes the last message: a bind's success must not be taken for a search without entries. */
  readonly isAnswer: (message: unknown) => message is LdapResponse;
  /** Undefined: the answer has no entries. */
  readonly onEntry: ((entry: SearchEntry) => void) | undefined;
  readonly resolve: (answer: LdapResponse) => void;
  readonly reject: (fault: LdapFault) => void;
}

/**
 * Requests and answers on a socket, one at a time. Messages are ldapts'; why its client is not used is in ADR 38.
 */
class LdapExchange {
  readonly #socket: Socket;
  readonly #frames = new LdapFrames();
  readonly #parser = new MessageParser();
  #pending: Pending | undefined;
  #lastId = 0;
  #fault: LdapFault | undefined;

  readonly #onData = (chunk: Buffer): void => {
    try {
      for (const frame of this.#frames.add(chunk)) {
        if (!this.isOpen) {
          return;
        }
        this.#parser.read(frame, new Map());
      }
    } catch (cause) {
      this.#onBroken(cause);
    }
  };
  readonly #onBroken = (cause: unknown): void => {
    this.#fail(
      cause instanceof LdapFault ? cause : new LdapFault('lost', 'the server answers amiss', { cause }),
    );
  };
  readonly #onError = (cause: Error): void => {
    this.#fail(new LdapFault('lost', 'the connection broke', { cause }));
  };
  readonly #onEnd = (): void => {
    this.#fail(new LdapFault('lost', 'the server closed the connection'));
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData);
    socket.on('error', this.#onError);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onEnd);
    this.#parser.on('error', this.#onBroken);
    this.#parser.on('message', (message) => {
      this.#receive(message);
    });
  }

  get isOpen(): boolean {
    return this.#fault === undefined;
  }

  /**
   * @param timeout milliseconds for the whole answer
   * @throws LdapFault, also for every result but success. After one that is not 'refused' the socket is gone
   */
  async ask(
    request: LdapRequest,
    timeout: number,
    onEntry?: (entry: SearchEntry) => void,
  ): Promise<LdapResponse> {
    if (this.#fault !== undefined) {
      throw this.#fault;
    }
    this.#lastId += 1;
    request.messageId = this.#lastId;
    const timer = setTimeout(() => {
      this.#fail(new LdapFault('silent', `the server does not answer within ${timeout / 1000} s`));
    }, timeout);
    try {
      const answer = await new Promise<LdapResponse>((resolve, reject) => {
        this.#pending = { id: request.messageId, isAnswer: answersTo(request), onEntry, resolve, reject };
        this.#socket.write(request.write());
      });
      if (answer.status !== 0) {
        throw refusedByServer(answer.status, answer.errorMessage);
      }
      return answer;
    } finally {
      this.#pending = undefined;
      clearTimeout(timer);
    }
  }

  /**
   * Releases the socket to another user.
   * @throws LdapFault if it broke, or if the server has sent more than was requested
   */
  release(): Socket {
    if (this.#frames.hasRest) {
      this.#fail(new LdapFault('lost', 'the server answers amiss'));
    }
    if (this.#fault !== undefined) {
      throw this.#fault;
    }
    this.#socket.off('data', this.#onData);
    this.#socket.off('end', this.#onEnd);
    this.#socket.off('close', this.#onEnd);
    return this.#socket;
  }

  /** Ends the exchange at once; a waiting request fails with a fault. */
  close(): void {
    this.#fail(new LdapFault('lost', 'the connection was closed'));
  }

  #receive(message: { readonly messageId: number }): void {
    const pending = this.#pending;
    if (pending?.id !== message.messageId) {
      this.#fail(new LdapFault('lost', 'the server ended the conversation'));
    } else if (message instanceof SearchEntry && pending.onEntry !== undefined) {
      pending.onEntry(message);
    } else if (pending.isAnswer(message)) {
      pending.resolve(message);
    } else if (!(message instanceof SearchReference)) {
      this.#fail(new LdapFault('lost', 'the server answers amiss'));
    }
  }

  #fail(fault: LdapFault): void {
    this.#fault ??= fault;
    this.#pending?.reject(this.#fault);
    this.#socket.destroy();
  }
}

function answersTo(request: LdapRequest): (message: unknown) => message is LdapResponse {
  if (request instanceof SearchRequest) {
    return (message) => message instanceof SearchResponse;
  }
  return request instanceof BindRequest
    ? (message) => message instanceof BindResponse
    : (message) => message instanceof ExtendedResponse;
}

const SEQUENCE = 0x30;
const LONG_FORM = 0x80;
const MAX_LENGTH_OCTETS = 4;
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/**
 * Splits a server's bytes into LDAP messages (BER sequences, RFC 4511 §5.1). It reads each byte once and keeps at most
 * one incomplete message.
 */
class LdapFrames {
  #pieces: Buffer[] = [];
  #held = 0;
  /** The size of the next message in bytes, once its header has arrived. */
  #expectedLength: number | undefined;

  /** An incomplete message is buffered. */
  get hasRest(): boolean {
    return this.#held > 0;
  }

  /**
   * @returns the messages that are complete now.
   * @throws LdapFault for bytes that are not LDAP, or too large a message
   */
  *add(chunk: Buffer): Generator<Buffer> {
    this.#pieces.push(chunk);
    this.#held += chunk.length;
    for (;;) {
      this.#expectedLength ??= this.#readHead();
      if (this.#expectedLength === undefined || this.#held < this.#expectedLength) {
        return;
      }
      const whole = this.#join();
      const frame = whole.subarray(0, this.#expectedLength);
      const rest = whole.subarray(this.#expectedLength);
      this.#pieces = rest.length > 0 ? [rest] : [];
      this.#held = rest.length;
      this.#expectedLength = undefined;
      yield frame;
    }
  }

  #join(): Buffer {
    const [first] = this.#pieces;
    const whole = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }

  #readHead(): number | undefined {
    const head = this.#held === 0 ? Buffer.alloc(0) : this.#join();
    const [tag, length] = head;
    if (tag === undefined) {
      return undefined;
    }
    if (tag !== SEQUENCE) {
      throw new LdapFault('lost', 'the server answers with something that is not LDAP');
    }
    if (length === undefined || length < LONG_FORM) {
      return length === undefined ? undefined : 2 + length;
    }
    const octets = length - LONG_FORM;
    if (octets < 1 || octets > MAX_LENGTH_OCTETS) {
      throw new LdapFault('lost', 'the server answers with something that is not LDAP');
    }
    return head.length < 2 + octets ? undefined : assertSize(2 + octets + head.readUIntBE(2, octets));
  }
}

function assertSize(size: number): number {
  if (size > MAX_FRAME_BYTES) {
    throw new LdapFault('lost', `the server sends an answer of more than ${MAX_FRAME_BYTES} bytes`);
  }
  return size;
}

/**
 * The cause of a failed request to a directory:
 * `settings` the resolver's configuration; `unreachable` no connection, or no TLS on it; `lost` a connection that ended
 * or answered with something other than LDAP; `silent` no answer in time; `refused` a result other than success, see
 * `resultCode`; `answer` entries that cannot be used; `busy` too many requests at once.
 */
type LdapFaultKind = 'settings' | 'unreachable' | 'lost' | 'silent' | 'refused' | 'answer' | 'busy';

/**
 * A failed request to a directory. The message is for the client too and continues the sentence
 * `The resolver 'x' is unavailable: …`; hosts, DNs and the server's messages are in `detail`, for the log. Neither
 * holds a password.
 */
export class LdapFault extends Error {
  override readonly name = 'LdapFault';
  readonly kind: LdapFaultKind;
  readonly detail: string | undefined;
  /** RFC 4511 §4.1.9, if the server sent one. */
  readonly resultCode: number | undefined;

  constructor(
    kind: LdapFaultKind,
    message: string,
    options: { detail?: string | undefined; resultCode?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.detail = options.detail;
    this.resultCode = options.resultCode;
  }

  /** The fault may be limited to this server: another one of the same directory may answer. */
  get isOfTheServer(): boolean {
    return ['unreachable', 'lost', 'silent'].includes(this.kind) || [51, 52].includes(this.resultCode ?? 0);
  }
}

/** RFC 4511 appendix A.1, for the codes that administrators encounter. */
const IN_WORDS: ReadonlyMap<number, string> = new Map([
  [2, 'the directory does not understand the question'],
  [3, 'the question takes longer than the directory allows'],
  [4, 'the answer is larger than the size limit of the directory'],
  [8, 'the directory demands a stronger way to bind'],
  [10, 'LDAPBASE is held by another directory, and referrals are not followed'],
  [11, 'the answer is larger than the directory allows'],
  [13, 'the directory demands TLS'],
  [32, 'LDAPBASE does not exist, or may not be seen'],
  [34, 'the directory takes LDAPBASE or BINDDN for no distinguished name'],
  [48, 'the directory refuses to bind like this'],
  [49, 'the directory refuses BINDDN and its password'],
  [50, 'BINDDN may not read the users'],
  [51, 'the directory is busy'],
  [52, 'the directory is not available'],
  [53, 'the directory is unwilling'],
]);

const MAX_DIAGNOSTIC_LENGTH = 200;

/** @param diagnostic the server's message, for the log */
function refusedByServer(resultCode: number, diagnostic: string): LdapFault {
  const words = IN_WORDS.get(resultCode) ?? `the directory answers with error ${resultCode}`;
  const said = diagnostic.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_DIAGNOSTIC_LENGTH);
  return new LdapFault('refused', words, { resultCode, detail: `LDAP result ${resultCode} ${said}`.trim() });
}

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The fate of the next settlement of a response, on its way to the database or back:
 * `lost`: it never arrives, and the connection ends; `answer lost`: it arrives, and the connection ends without an
 * answer; `answer swallowed`: it arrives, and the connection stays, in silence.
 */
export type SettlementFate = 'lost' | 'answer lost' | 'answer swallowed';

/** The beginning of the message that executes the prepared statement that settles responses: portal and statement. */
const SETTLEMENT = '\0settle-responses\0';
/** Bytes of the header of a message of PostgreSQL's protocol: a type, and a length that counts itself. */
const HEADER = 5;
const BIND = 'B'.charCodeAt(0);

/**
 * A proxy between a server and its database. It reads the server's messages (protocol 3, without TLS), and can disturb
 * one settlement when a test asks for it.
 */
export class SettlementProxy {
  readonly url: string;
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #fate: { readonly kind: SettlementFate; readonly met: () => void } | undefined;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    const url = new URL(target);
    url.search = '';
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as { port: number }).port);
    this.url = url.href;
  }

  /** @param databaseUrl a postgres:// URL, over TCP or a socket */
  static async start(databaseUrl: string): Promise<SettlementProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new SettlementProxy(server, new URL(databaseUrl.replace('@/', '@localhost/')));
    server.on('connection', (socket) => {
      proxy.#join(socket);
    });
    return proxy;
  }

  /**
   * Disturbs the next settlement.
   * @returns resolves when it has met this fate: for the last two, once the database has it
   */
  async next(kind: SettlementFate): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#fate = { kind, met: resolve };
    });
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await closed;
  }

  #join(client: Socket): void {
    const database = openSocket(this.#target);
    const messages = new FrontendMessages();
    let isDeaf = false;
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    database.on('data', (piece) => {
      if (!isDeaf) {
        client.write(piece);
      }
    });
    client.on('data', (piece) => {
      const fate = messages.add(piece).some((text) => text.startsWith(SETTLEMENT))
        ? this.#takeFate()
        : undefined;
      if (fate?.kind === 'lost') {
        client.destroy();
        fate.met();
        return;
      }
      database.write(piece);
      if (fate !== undefined) {
        isDeaf = true;
        // The first answer afterwards shows that the database has begun the statement; the commit is still to come, and
        // the client gets no report of it.
        database.once('data', () => {
          if (fate.kind === 'answer lost') {
            client.destroy();
          }
          fate.met();
        });
      }
    });
  }

  #takeFate(): { readonly kind: SettlementFate; readonly met: () => void } | undefined {
    const fate = this.#fate;
    this.#fate = undefined;
    return fate;
  }
}

/** Extracts the executed statements from the messages of a client of PostgreSQL. */
class FrontendMessages {
  #rest = Buffer.alloc(0);
  #hasBegun = false;

  /** @returns the contents of the messages that bind values to a statement, of those that this piece completes */
  add(piece: Buffer): string[] {
    this.#rest = Buffer.concat([this.#rest, piece]);
    const texts: string[] = [];
    for (;;) {
      // The first message has no type.
      const before = this.#hasBegun ? 1 : 0;
      if (this.#rest.length < before + 4) {
        return texts;
      }
      const end = before + this.#rest.readInt32BE(before);
      if (this.#rest.length < end) {
        return texts;
      }
      if (this.#hasBegun && this.#rest[0] === BIND) {
        texts.push(this.#rest.toString('latin1', HEADER, end));
      }
      this.#hasBegun = true;
      this.#rest = this.#rest.subarray(end);
    }
  }
}

function openSocket(target: URL): Socket {
  const host = target.searchParams.get('host') ?? decodeURIComponent(target.hostname);
  const port = target.searchParams.get('port') ?? (target.port === '' ? '5432' : target.port);
  return host.startsWith('/')
    ? connect({ path: `${host}/.s.PGSQL.${port}` })
    : connect({ host, port: Number(port) });
}

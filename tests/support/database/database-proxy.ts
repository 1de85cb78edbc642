import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** Stands between a client and the database of the tests, for tests of a database that goes away and comes back. */
export class DatabaseProxy {
  /** A URL of the same database, through this proxy. */
  readonly url: string;
  readonly #port: number;
  #open: () => Socket;
  readonly #sockets: Set<Socket>;
  readonly #pairs = new Map<Socket, Socket>();
  #isFrozen = false;
  #server: Server;

  private constructor(server: Server, port: number, target: URL, sockets: Set<Socket>) {
    this.#server = server;
    this.#port = port;
    this.#open = () => connectTo(target);
    this.#sockets = sockets;
    const url = new URL(target);
    url.search = '';
    url.hostname = '127.0.0.1';
    url.port = String(port);
    this.url = url.href;
  }

  /** @param databaseUrl a postgres:// URL, over TCP or a socket */
  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const target = new URL(databaseUrl.replace('@/', '@localhost/'));
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const proxy = new DatabaseProxy(server, port, target, new Set());
    server.on('connection', (socket) => {
      proxy.#join(socket);
    });
    return proxy;
  }

  /** Ends every connection and refuses new ones: the database is away. */
  async cut(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await closed;
  }

  /** After `cut`: accepts connections again. */
  async restore(): Promise<void> {
    this.#server = createServer((socket) => {
      this.#join(socket);
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Connects from now on to another database; existing connections stay. */
  turnTo(databaseUrl: string): void {
    this.#open = () => connectTo(new URL(databaseUrl));
  }

  /** Drops from now on all bytes of existing connections in both directions, without ending them; new ones work. */
  silence(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.on('data', () => undefined);
    }
  }

  /** Makes the network hang: no byte passes on existing or new connections, and none is ended. */
  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** After `freeze`: passes the held bytes, and accepts new connections. */
  thaw(): void {
    this.#isFrozen = false;
    for (const [client, database] of this.#pairs) {
      client.pipe(database);
      database.pipe(client);
    }
  }

  async stop(): Promise<void> {
    if (this.#server.listening) {
      await this.cut();
    }
  }

  #join(client: Socket): void {
    const database = this.#open();
    this.#pairs.set(client, database);
    client.once('close', () => this.#pairs.delete(client));
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
      if (!this.#isFrozen) {
        one.pipe(other);
      }
    }
  }
}

/** @returns a connection to the server of a postgres:// URL, over TCP or a socket */
export function connectTo(target: URL): Socket {
  const host = target.searchParams.get('host') ?? decodeURIComponent(target.hostname);
  const port = target.searchParams.get('port') ?? (target.port === '' ? '5432' : target.port);
  return host.startsWith('/')
    ? connect({ path: `${host}/.s.PGSQL.${port}` })
    : connect({ host, port: Number(port) });
}

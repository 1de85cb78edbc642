import type { Server, Socket } from 'node:net';
import { clientAddress } from '../request/client-address.ts';
import { clientNetwork } from './networks.ts';
import type { LimitReporter } from './limit-reporter.ts';

interface ConnectionGuardDependencies {
  readonly refusals: LimitReporter;
  /** Connections at once. */
  readonly most: number;
  /** Whose connections are not counted one by one: proxies, and clients that are exempt. */
  readonly isExempt: (address: string) => boolean;
}

/** So many parts of all connections one address may have. */
const SHARE = 4;
/** From this part of all connections on, places get scarce. */
const CROWDED = 3 / 4;

/** Bounds connections, all of them and those of one address: one client must not take the places of all others. */
export class ConnectionGuard {
  readonly #deps: ConnectionGuardDependencies;
  readonly #open = new Map<string, number>();
  #all = 0;

  constructor(dependencies: ConnectionGuardDependencies) {
    this.#deps = dependencies;
  }

  /** Whether places are scarce: then nobody should keep a connection that they do not use. */
  get isCrowded(): boolean {
    return this.#all > this.#deps.most * CROWDED;
  }

  /** To be called before the server listens. */
  watch(server: Server): void {
    server.maxConnections = this.#deps.most;
    server.on('drop', () => {
      this.#deps.refusals.note('connections', undefined, 0);
    });
    server.on('connection', (socket: Socket) => {
      this.#count(socket);
    });
  }

  #count(socket: Socket): void {
    const { refusals, most, isExempt } = this.#deps;
    this.#all += 1;
    socket.once('close', () => {
      this.#all -= 1;
    });
    const address = clientAddress(socket.remoteAddress);
    if (isExempt(address)) {
      return;
    }
    const network = clientNetwork(address);
    const open = (this.#open.get(network) ?? 0) + 1;
    if (open > Math.max(1, Math.floor(most / SHARE))) {
      refusals.note('connections', network, 0);
      socket.destroy();
      return;
    }
    this.#open.set(network, open);
    socket.once('close', () => {
      const left = (this.#open.get(network) ?? 1) - 1;
      if (left > 0) {
        this.#open.set(network, left);
      } else {
        this.#open.delete(network);
      }
    });
  }
}

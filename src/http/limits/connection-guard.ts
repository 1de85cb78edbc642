import type { Server, Socket } from 'node:net';
import { KeyedCounts } from '../../kernel/keyed-counts.ts';
import { clientAddress } from '../request/client-address.ts';
import { clientNetwork } from './networks.ts';
import type { LimitReporter } from './limit-reporter.ts';

interface ConnectionGuardDependencies {
  readonly refusals: LimitReporter;
  /** The most open connections. */
  readonly max: number;
  /** True for a proxy or an exempt client, whose connections are counted in the total only. */
  readonly isExempt: (address: string) => boolean;
}

/** The share of `max` that one client may take. */
const CLIENT_SHARE = 1 / 4;
/** The share of `max` above which places are scarce. */
const CROWDED_SHARE = 3 / 4;

/** Limits open connections, in total and by client, so that one client cannot take the places of all others. */
export class ConnectionGuard {
  readonly #deps: ConnectionGuardDependencies;
  readonly #open = new KeyedCounts();
  #all = 0;

  constructor(dependencies: ConnectionGuardDependencies) {
    this.#deps = dependencies;
  }

  /** True if places are scarce; idle connections are then closed. */
  get isCrowded(): boolean {
    return this.#all > this.#deps.max * CROWDED_SHARE;
  }

  /** Begins to count the server's connections. To be called before the server listens. */
  watch(server: Server): void {
    // Not by `maxConnections`: full workers would pass a connection on to each other without end.
    server.on('connection', (socket: Socket) => {
      this.#count(socket);
    });
  }

  #count(socket: Socket): void {
    const { refusals, max, isExempt } = this.#deps;
    if (this.#all >= max) {
      refusals.note('connections', undefined, 0);
      socket.destroy();
      return;
    }
    this.#all += 1;
    socket.once('close', () => {
      this.#all -= 1;
    });
    const address = clientAddress(socket.remoteAddress);
    if (isExempt(address)) {
      return;
    }
    const network = clientNetwork(address);
    if (this.#open.of(network) >= Math.max(1, Math.floor(max * CLIENT_SHARE))) {
      refusals.note('connections', network, 0);
      socket.destroy();
      return;
    }
    this.#open.change(network, 1);
    socket.once('close', () => {
      this.#open.change(network, -1);
    });
  }
}

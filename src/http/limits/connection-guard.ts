import type { Server, Socket } from 'node:net';
import { KeyedCounts } from '../../kernel/bounded-work.ts';
import { clientAddress, clientNetwork } from './networks.ts';
import type { LimitReporter } from './limit-reporter.ts';

interface ConnectionGuardDependencies {
  readonly refusals: LimitReporter;
  /** The most open connections. */
  readonly max: number;
  /** True for a proxy or an exempt client, whose connections are counted in the total only. */
  readonly isExempt: (address: string) => boolean;
  /** The most bytes that all connections together hold; default: `MAX_HELD`. */
  readonly maxHeld?: number;
}

/** Bytes of memory in which connections may keep answers that are not read, and requests behind them. */
const MAX_HELD = 67_108_864;
/** The share of these bytes that are still held after connections were cut off. */
const KEPT_SHARE = 3 / 4;

/** The share of `max` that one client may take. */
const CLIENT_SHARE = 1 / 4;
/** The share of `max` above which places are scarce. */
const CROWDED_SHARE = 3 / 4;

/**
 * Limits open connections, in total and by client, so that one client cannot take the places of all others, and the
 * memory that they hold.
 */
export class ConnectionGuard {
  readonly #deps: ConnectionGuardDependencies;
  readonly #open = new KeyedCounts();
  #all = 0;
  /** Bytes by connection. */
  readonly #held = new Map<Socket, number>();
  #allHeld = 0;

  constructor(dependencies: ConnectionGuardDependencies) {
    this.#deps = dependencies;
  }

  /** True if places are scarce; idle connections are then closed. */
  get isCrowded(): boolean {
    return this.#all > this.#deps.max * CROWDED_SHARE;
  }

  /** Begins to count the server's connections. To be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#count(socket);
    });
  }

  /**
   * Counts what a connection holds in memory because its client does not read. Where all connections hold too much,
   * those with the most are cut off.
   * @param bytes more, or fewer if negative
   */
  hold(socket: Socket, bytes: number): void {
    if (socket.destroyed) {
      return;
    }
    this.#held.set(socket, (this.#held.get(socket) ?? 0) + bytes);
    this.#allHeld += bytes;
    const { refusals, maxHeld = MAX_HELD } = this.#deps;
    if (this.#allHeld <= maxHeld) {
      return;
    }
    for (const [greatest] of [...this.#held].sort(([, one], [, other]) => other - one)) {
      if (this.#allHeld <= maxHeld * KEPT_SHARE) {
        break;
      }
      refusals.note('unread-answers', clientNetwork(clientAddress(greatest.remoteAddress)), 0);
      greatest.destroy();
      this.#release(greatest);
    }
  }

  #release(socket: Socket): void {
    this.#allHeld -= this.#held.get(socket) ?? 0;
    this.#held.delete(socket);
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
      this.#release(socket);
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

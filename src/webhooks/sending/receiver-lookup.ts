import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

import { Semaphore } from '../../kernel/bounded-work.ts';
import { addressFault, type ReceiverAddress } from '../receiver-address.ts';

/** Simultaneous look-ups. Node makes them in a pool of four threads, which files and passwords need, too. */
const MAX_AT_ONCE = 2;

/** Resolves the names of receivers. Simultaneous look-ups of a name are one, so that a slow one takes one thread. */
export class ReceiverNames {
  readonly #running = new Map<string, Promise<readonly LookupAddress[]>>();
  readonly #turns = new Semaphore(MAX_AT_ONCE);
  readonly #resolve: (host: string) => Promise<readonly LookupAddress[]>;

  constructor(resolve: (host: string) => Promise<readonly LookupAddress[]> = resolveAll) {
    this.#resolve = resolve;
  }

  /** @returns a look-up for a connection: its answers are checked here, right before they are used */
  lookupFor(receiver: ReceiverAddress): LookupFunction {
    return (host, options, done) => {
      this.#find(host).then(
        (found) => {
          const fault = found
            .map(({ address }) => addressFault(address, receiver))
            .find((one) => one !== undefined);
          const [first] = found;
          if (fault !== undefined || first === undefined) {
            done(new RefusedAddress(fault ?? 'the name has no address'), '');
          } else if (options.all === true) {
            done(null, [...found]);
          } else {
            done(null, first.address, first.family);
          }
        },
        (error: unknown) => {
          done(error as NodeJS.ErrnoException, '');
        },
      );
    };
  }

  #find(host: string): Promise<readonly LookupAddress[]> {
    const running = this.#running.get(host);
    if (running !== undefined) {
      return running;
    }
    const started = this.#turns
      .run(() => this.#resolve(host))
      .finally(() => {
        this.#running.delete(host);
      });
    this.#running.set(host, started);
    return started;
  }
}

/** The refusal of an address to which nothing may be sent. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

function resolveAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => {
      if (error === null) {
        resolve(addresses);
      } else {
        reject(error);
      }
    });
  });
}

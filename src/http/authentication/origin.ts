import type { Request } from 'express';
import type { Log } from '../../kernel/log.ts';
import { clientAddress } from '../request/client-address.ts';
import { networkMatcher, unnamedProxy } from '../limits/networks.ts';

/** Where a request comes from. */
export interface Origin {
  /** The client's address, as policies and the log see it. */
  readonly client: string;
  /**
   * As whom limits count it: the client; or, where a proxy that TRUST_PROXY does not name stands between, that proxy as
   * somebody who is not exempt, as anybody may be behind it.
   */
  readonly limitedAs: string;
}

interface OriginOptions {
  /** Addresses and networks of proxies that are believed. */
  readonly trustProxy: readonly string[];
  readonly log: Log;
}

/** What proxies add to what they pass on. Anybody can send it, so it makes nobody more than they are. */
const TRACES = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;

/** @returns tells where a request comes from, and says once in the log that TRUST_PROXY should name this machine */
export function originReader({
  trustProxy,
  log,
}: OriginOptions): (request: Pick<Request, 'ip' | 'headers' | 'socket'>) => Origin {
  const isNamed = networkMatcher(trustProxy);
  const isThisMachine = networkMatcher(['loopback']);
  let isReported = false;
  return ({ ip, headers, socket }) => {
    const client = clientAddress(ip);
    const peer = clientAddress(socket.remoteAddress);
    const isSaid = headers['x-forwarded-for'] !== undefined && isNamed(peer);
    const trace = isSaid ? undefined : TRACES.find((name) => headers[name] !== undefined);
    if (trace === undefined) {
      return { client, limitedAs: client };
    }
    if (isThisMachine(peer) && !isReported) {
      isReported = true;
      log.warn(
        'Requests come through a proxy on this machine that says nothing which is believed: all of its clients count as ' +
          'one. Name it in TRUST_PROXY and let it send X-Forwarded-For',
        { client: peer },
      );
    }
    return { client, limitedAs: unnamedProxy(client) };
  };
}

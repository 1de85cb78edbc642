import type { Request } from 'express';
import { boundedMemo } from '../../kernel/bounded-work.ts';
import type { Log } from '../../kernel/log.ts';
import { clientAddress } from './client-address.ts';
import { networkMatcher, unnamedProxy } from '../limits/networks.ts';

/** The sender of a request. */
export interface RequestSender {
  /** The client's address, as policies and the log see it. */
  readonly client: string;
  /**
   * The name under which limits count the request: the client, or the proxy, never exempt, where a proxy that
   * TRUST_PROXY does not name passed the request on.
   */
  readonly limitedAs: string;
}

interface SenderOptions {
  /** Addresses and networks of trusted proxies. */
  readonly trustProxy: readonly string[];
  readonly log: Log;
}

/** The most addresses whose canonical form is remembered. */
const MAX_REMEMBERED = 1_000;

/** The headers that proxies add. Any client can send them; they can only remove an exemption. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;

/** @returns a function that finds the sender of a request; it logs once if TRUST_PROXY should name this machine */
export function senderReader({
  trustProxy,
  log,
}: SenderOptions): (request: Pick<Request, 'ip' | 'headers' | 'socket'>) => RequestSender {
  const isNamed = networkMatcher(trustProxy);
  const isThisMachine = networkMatcher(['loopback']);
  const canonical = boundedMemo(MAX_REMEMBERED, clientAddress);
  let isReported = false;
  return ({ ip, headers, socket }) => {
    const client = canonical(ip ?? '');
    const peer = canonical(socket.remoteAddress ?? '');
    const isForwardedByNamedProxy = headers['x-forwarded-for'] !== undefined && isNamed(peer);
    const trace = isForwardedByNamedProxy
      ? undefined
      : PROXY_HEADERS.find((name) => headers[name] !== undefined);
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

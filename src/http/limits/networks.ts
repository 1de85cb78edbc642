import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { boundedMemo } from '../../kernel/bounded-work.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { NAMED_NETWORKS, NetworkSet, readAddress } from '../../kernel/networks.ts';

/** The names of networks in TRUST_PROXY and LIMIT_EXEMPT. */
const NAMED: Readonly<Record<string, readonly string[]>> = { none: [], ...NAMED_NETWORKS };

/** The most clients whose match is remembered. */
const MAX_REMEMBERED = 1_000;

/** The prefix of the address of an unnamed proxy: the result is in no network, so it is never exempt. */
const PROXY = 'proxy ';

/** @returns the name under which limits count a proxy that TRUST_PROXY does not name */
export function unnamedProxy(address: string): string {
  return PROXY + address;
}

/**
 * @param client an address as `clientAddress` writes it, or a result of `unnamedProxy`, which is counted alike
 * @returns the key of one client: an IPv4 address, also where a gateway wrote it as one of IPv6 (RFC 6052), or the /64
 *   of an IPv6 address, as a provider gives each customer at least a /64
 */
export function clientNetwork(client: string): string {
  const known = client.startsWith(PROXY) ? client.slice(PROXY.length) : client;
  const address = known.replace(/%.*$/, '');
  if (!isIPv6(address)) {
    return known;
  }
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.range() === 'rfc6052') {
    return parsed.toString();
  }
  const parts = parsed.parts.slice(0, 4);
  return `${new ipaddr.IPv6([...parts, 0, 0, 0, 0]).toString()}/64`;
}

/**
 * @param networks addresses, networks and names of networks
 * @returns a function that is true for the address of a client in them
 * @throws ServiceError 'configuration.invalid' for an entry that is none of these
 */
export function networkMatcher(networks: readonly string[]): (client: string) => boolean {
  const set = new NetworkSet();
  for (const network of networks.flatMap((entry) => NAMED[entry] ?? [entry])) {
    if (!set.add(network)) {
      throw new ServiceError('configuration.invalid', `'${network}' is no address or network`);
    }
  }
  if (set.isEmpty) {
    return () => false;
  }
  return boundedMemo(MAX_REMEMBERED, (client) => {
    const address = readAddress(client);
    return address !== undefined && set.has(address);
  });
}

/** The name of an unknown address; no policy names it. */
const UNKNOWN = 'unknown';

/** IPv4 or, in brackets, IPv6; some proxies add the client's port. */
const WITH_PORT = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i;

/**
 * @param address as the socket or a trusted proxy gives it; a port is removed
 * @returns the address in the one form that policies and the log use: IPv4 also where it came inside IPv6
 *   (RFC 4291 §2.5.5.2); `unknown` for any other text
 */
export function clientAddress(address: string | undefined): string {
  const [, v4, v6] = WITH_PORT.exec(address ?? '') ?? [];
  const bare = v4 ?? v6 ?? address;
  return bare !== undefined && isIP(bare) !== 0 ? ipaddr.process(bare).toString() : UNKNOWN;
}

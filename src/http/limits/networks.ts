import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../../kernel/errors.ts';
import { NetworkSet, readAddress } from '../../kernel/networks.ts';

/** Names for networks, as TRUST_PROXY and LIMIT_EXEMPT know them. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  none: [],
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Precedes the address of somebody who passes on what others ask for: in no network, so never exempt. */
const PROXY = 'proxy ';

/** @returns as whom limits count a proxy that nobody named */
export function unnamedProxy(address: string): string {
  return PROXY + address;
}

/**
 * @param client an address as `clientAddress` writes it, or what `unnamedProxy` made of it, which is counted alike
 * @returns what is counted as one client: an IPv4 address, also where a gateway wrote it as one of IPv6 (RFC 6052), or the
 *   /64 of an IPv6 address, which is one customer of a provider and holds more addresses than could be counted
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
 * @returns whether a client's address is among them
 * @throws ServiceError 'configuration.invalid' for an entry that is none of these
 */
export function networkMatcher(networks: readonly string[]): (client: string) => boolean {
  const set = new NetworkSet();
  for (const network of networks.flatMap((entry) => NAMED[entry] ?? [entry])) {
    if (!set.add(network)) {
      throw new ServiceError('configuration.invalid', `'${network}' is no address or network`);
    }
  }
  return (client) => {
    const address = readAddress(client);
    return address !== undefined && set.has(address);
  };
}

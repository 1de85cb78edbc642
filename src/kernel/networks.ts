import { BlockList, isIP, SocketAddress } from 'node:net';

/** An IP address in its canonical form. */
export interface Address {
  readonly text: string;
  readonly family: 'ipv4' | 'ipv6';
}

/**
 * Reads an address, with or without a zone (`fe80::1%eth0`), which is dropped. An IPv4-mapped IPv6 address
 * (`::ffff:10.0.0.5`) becomes the IPv4 address.
 * @returns undefined for any other text
 */
export function readAddress(text: string): Address | undefined {
  const bare = text.replace(/%.*$/s, '');
  const family = isIP(bare);
  if (family === 0) {
    return undefined;
  }
  if (family === 4) {
    return { text: bare, family: 'ipv4' };
  }
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped === undefined ? { text: address, family: 'ipv6' } : { text: mapped, family: 'ipv4' };
}

/** Networks that have a name in the configuration. */
export const NAMED_NETWORKS = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
} as const;

/**
 * A set of addresses and networks of both families, each kept for itself: a network of IPv6 such as `::/0` has no address
 * of IPv4 in it. Only an IPv4-mapped network (`::ffff:10.0.0.0/104`) means IPv4, as the address of a client on a socket
 * of both families does.
 */
export class NetworkSet {
  /** Created on use: most sets stay empty. `BlockList` itself takes an IPv4 address for one of IPv6, too. */
  readonly #lists: Partial<Record<Address['family'], BlockList>> = {};

  get isEmpty(): boolean {
    return Object.keys(this.#lists).length === 0;
  }

  /**
   * @param network an address, or a network such as `10.0.0.0/8` and `2001:db8::/32`
   * @returns true if it is one; other texts are not added
   */
  add(network: string): boolean {
    const [host = '', length, ...rest] = network.split('/');
    const address = host.includes('%') ? undefined : readAddress(host);
    if (address === undefined || rest.length > 0) {
      return false;
    }
    const { text, family } = address;
    const bits = family === 'ipv4' ? 32 : 128;
    const prefix = length === undefined ? bits : readPrefix(length) - mappedBits(host, address);
    if (Number.isNaN(prefix) || prefix < 0 || prefix > bits) {
      return false;
    }
    this.#listOf(family).addSubnet(text, prefix, family);
    return true;
  }

  #listOf(family: Address['family']): BlockList {
    return (this.#lists[family] ??= new BlockList());
  }

  has({ text, family }: Address): boolean {
    return this.#lists[family]?.check(text, family) === true;
  }
}

function readPrefix(length: string): number {
  return /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
}

/** @returns the bits before the IPv4 address in an IPv4-mapped one; the prefix length includes them */
function mappedBits(host: string, address: Address): number {
  return isIP(host) === 6 && address.family === 'ipv4' ? 96 : 0;
}

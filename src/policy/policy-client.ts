import { BlockList, isIP, SocketAddress } from 'node:net';
import { ServiceError } from '../kernel/errors.ts';
import { splitList } from './policy-users.ts';

interface Address {
  readonly text: string;
  readonly family: 'ipv4' | 'ipv6';
}

/**
 * Reads a list of clients: addresses and networks of both families (`10.0.0.5`, `10.0.0.0/8`, `2001:db8::/32`), `*` for
 * any, each with `-` or `!` in front to leave it out. IPv4 addresses in IPv6 clothes (`::ffff:10.0.0.5`) count as IPv4.
 * @returns which clients are meant: an empty list means any, exclusions alone any other. Who has no address is meant
 *   only where any is
 * @throws ServiceError 'policy.invalid' that quotes the entry
 */
export function readClients(text: string): (client: string) => boolean {
  const included = new BlockList();
  const excluded = new BlockList();
  let inclusions = 0;
  let isAny = false;
  for (const entry of splitList(text)) {
    const isExclusion = /^[-!]/.test(entry);
    const network = isExclusion ? entry.slice(1).trim() : entry;
    inclusions += isExclusion ? 0 : 1;
    if (network === '*' && !isExclusion) {
      isAny = true;
    } else {
      addNetwork(isExclusion ? excluded : included, network);
    }
  }
  isAny ||= inclusions === 0;
  const hasExclusions = excluded.rules.length > 0;
  return (client) => {
    const address = readAddress(client);
    if (address === undefined) {
      return isAny && !hasExclusions;
    }
    const { text: known, family } = address;
    return !excluded.check(known, family) && (isAny || included.check(known, family));
  };
}

function addNetwork(list: BlockList, network: string): void {
  const [host = '', length, ...rest] = network.split('/');
  const address = host.includes('%') ? undefined : readAddress(host);
  if (address === undefined || rest.length > 0) {
    throw invalid(network);
  }
  const most = address.family === 'ipv4' ? 32 : 128;
  const prefix = length === undefined ? most : readPrefix(length) - hiddenBits(host, address);
  if (Number.isNaN(prefix) || prefix < 0 || prefix > most) {
    throw invalid(network);
  }
  list.addSubnet(address.text, prefix, address.family);
}

function readPrefix(length: string): number {
  return /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
}

/** The bits in front of an IPv4 address in IPv6 clothes, which its prefix length counts. */
function hiddenBits(host: string, address: Address): number {
  return isIP(host) === 6 && address.family === 'ipv4' ? 96 : 0;
}

/** @returns the address in its one canonical form, undefined when it is none */
function readAddress(text: string): Address | undefined {
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

function invalid(entry: string): ServiceError {
  return new ServiceError(
    'policy.invalid',
    `'${entry}' is not a client. Use addresses or networks such as 10.0.0.5, 10.0.0.0/8 or 2001:db8::/32, or *.`,
  );
}

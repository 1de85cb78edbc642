import { NAMED_NETWORKS, NetworkSet, readAddress } from '../kernel/networks.ts';

/**
 * @param host a name or an address, an IPv6 one also in brackets
 * @returns true if it is this machine itself
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) {
    return true;
  }
  const address = readAddress(bare);
  const loopback = new NetworkSet();
  NAMED_NETWORKS.loopback.forEach((network) => loopback.add(network));
  return address !== undefined && loopback.has(address);
}

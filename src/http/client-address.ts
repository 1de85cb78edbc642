import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Stands for an address that is not known; no policy names it. */
const UNKNOWN = 'unknown';

/**
 * @param address as the socket or a trusted proxy gives it
 * @returns the address in the one form that policies and the log use: IPv4 also where it came inside IPv6
 *   (RFC 4291 §2.5.5.2), `unknown` for anything that is no address
 */
export function clientAddress(address: string | undefined): string {
  return address !== undefined && isIP(address) !== 0 ? ipaddr.process(address).toString() : UNKNOWN;
}

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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

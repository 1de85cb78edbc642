import { ServiceError } from '../kernel/errors.ts';
import { NAMED_NETWORKS, NetworkSet, readAddress } from '../kernel/networks.ts';

/** The place of a receiver. */
export interface ReceiverAddress {
  readonly url: string;
  /** True if the operator has allowed http: to other machines. */
  readonly allowsHttp: boolean;
}

const LONGEST = 2_000;

/**
 * Networks in which no receiver is: link-local ones with the metadata services of clouds, also through NAT64 and by
 * their other addresses, multicast, and "this host".
 */
const REFUSED = networks([
  ...NAMED_NETWORKS.linklocal,
  ...['64:ff9b::a9fe:0/112', 'fd00:ec2::254', 'fd20:ce::254'],
  ...['100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ...['0.0.0.0/8', '224.0.0.0/4', '255.255.255.255', '::', 'ff00::/8'],
]);
const LOOPBACK = networks(NAMED_NETWORKS.loopback);

/**
 * Reads the URL of a receiver.
 * @returns its normal form
 * @throws ServiceError 'webhook.invalid'
 */
export function readReceiverUrl(text: string, allowsHttp: boolean): string {
  const url = text.length <= LONGEST && URL.canParse(text) ? new URL(text) : undefined;
  const fault =
    url === undefined || !['https:', 'http:'].includes(url.protocol)
      ? 'begins with https:// and names a host'
      : (formFault(url) ?? hostFault(url, allowsHttp));
  if (url === undefined || fault !== undefined) {
    throw new ServiceError('webhook.invalid', `The URL of a webhook ${fault ?? ''}`);
  }
  return url.href;
}

function formFault({ username, password, hash }: URL): string | undefined {
  if (username !== '' || password !== '') {
    return 'holds no user and password: the signature shows who sends';
  }
  return hash === '' ? undefined : 'has no fragment (#…): it is never sent';
}

/** Names are looked up, and their addresses checked, at each connection. */
function hostFault(url: URL, allowsHttp: boolean): string | undefined {
  const host = hostOf(url);
  const receiver = { url: url.href, allowsHttp };
  if (readAddress(host) !== undefined) {
    const fault = addressFault(host, receiver);
    return fault && `must not lead there: ${fault}`;
  }
  return url.protocol === 'http:' && !allowsHttp && host !== 'localhost'
    ? 'over http:// leads to this machine only; use https://, or --allow-http'
    : undefined;
}

/** @returns the host of a URL as a name or an address without brackets */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Checks an address before a connection is opened to it, so that a name whose answer changes does not lead elsewhere.
 * @returns the reason why nothing is sent there; undefined if there is none
 */
export function addressFault(text: string, { url, allowsHttp }: ReceiverAddress): string | undefined {
  const address = readAddress(text);
  if (address === undefined) {
    return `${text} is no address`;
  }
  if (REFUSED.has(address)) {
    return `${address.text} is a link-local, metadata or multicast address`;
  }
  return url.startsWith('http:') && !allowsHttp && !LOOPBACK.has(address)
    ? `${address.text} is another machine, and http:// does not protect what is sent`
    : undefined;
}

function networks(list: readonly string[]): NetworkSet {
  const set = new NetworkSet();
  list.forEach((network) => set.add(network));
  return set;
}

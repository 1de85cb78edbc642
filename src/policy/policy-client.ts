import { ServiceError } from '../kernel/errors.ts';
import { NetworkSet, readAddress } from '../kernel/networks.ts';
import { splitList } from './policy-users.ts';

/**
 * Reads a list of clients: addresses and networks of both families (`10.0.0.5`, `10.0.0.0/8`, `2001:db8::/32`), `*` for
 * any, each with `-` or `!` in front to exclude it. An empty list means any client, a list of exclusions any other one.
 * @returns a function that is true for a client in the list; without an address, only if the list means any
 * @throws ServiceError 'policy.invalid' that quotes the entry
 */
export function readClients(text: string): (client: string) => boolean {
  const included = new NetworkSet();
  const excluded = new NetworkSet();
  let inclusions = 0;
  let isAny = false;
  for (const entry of splitList(text)) {
    const isExclusion = /^[-!]/.test(entry);
    const network = isExclusion ? entry.slice(1).trim() : entry;
    inclusions += isExclusion ? 0 : 1;
    if (network === '*' && !isExclusion) {
      isAny = true;
    } else if (!(isExclusion ? excluded : included).add(network)) {
      throw invalid(network);
    }
  }
  return matchClients(excluded, isAny || inclusions === 0 ? undefined : included);
}

/** @param included undefined: any */
function matchClients(excluded: NetworkSet, included: NetworkSet | undefined): (client: string) => boolean {
  if (included === undefined && excluded.isEmpty) {
    return () => true;
  }
  return (client) => {
    const address = readAddress(client);
    return address !== undefined && !excluded.has(address) && included?.has(address) !== false;
  };
}

function invalid(entry: string): ServiceError {
  return new ServiceError(
    'policy.invalid',
    `'${entry}' is not a client. Use addresses or networks such as 10.0.0.5, 10.0.0.0/8 or 2001:db8::/32, or *.`,
  );
}

import { NAMED_NETWORKS, NetworkSet, readAddress } from '../kernel/networks.ts';
import { PASSKEYS_OFF, passkeysOff } from '../administrators/passkey.ts';
import { type Finding, findingOf } from './examination.ts';

/** The part of the configuration that concerns addresses. */
export interface AddressSettings {
  readonly host: string;
  readonly publicUrl?: string | undefined;
  readonly metricsPort?: number | undefined;
  readonly trustProxy: readonly string[];
  readonly limits: { readonly exempt: readonly string[] };
}

/** Every address of a family. */
const EVERYONE = /\/0+$/;

export function checkAddresses(settings: AddressSettings): readonly Finding[] {
  return [
    ...listeningFindings(settings),
    ...trustFindings(settings),
    ...exemptionFindings(settings),
    ...publicUrlFindings(settings),
  ];
}

/** Without PUBLIC_URL, passkeys were not asked for. */
function publicUrlFindings({ publicUrl }: AddressSettings): readonly Finding[] {
  return passkeysOff(publicUrl) === 'address'
    ? [
        findingOf(
          'note',
          'addresses.no-passkeys',
          `PUBLIC_URL is ${publicUrl ?? ''}. ${PASSKEYS_OFF.address}`,
          'a name of the server in PUBLIC_URL; nothing, if nobody wants a passkey as second factor',
        ),
      ]
    : [];
}

function listeningFindings({ host, metricsPort, trustProxy }: AddressSettings): readonly Finding[] {
  if (isLoopback(host)) {
    return trustProxy.length > 0
      ? []
      : [
          findingOf(
            'note',
            'addresses.no-proxy',
            `the server listens on ${host} and trusts no proxy: behind one on this machine, all clients would be one in policies, limits and log`,
            'TRUST_PROXY=loopback',
          ),
        ];
  }
  const findings: Finding[] = [];
  if (trustProxy.length === 0) {
    findings.push(
      findingOf(
        'warning',
        'addresses.plain-http',
        `the server listens on ${host} in plain HTTP and trusts no proxy: passwords and responses of clients that reach it directly travel in clear, and behind a proxy all clients are one`,
        'HOST=127.0.0.1 behind a proxy on this machine; else, as in a container, TRUST_PROXY with the address or network of the proxy, and a network, firewall or port that only the proxy reaches',
      ),
    );
  }
  if (metricsPort !== undefined) {
    findings.push(
      findingOf(
        'note',
        'addresses.metrics',
        `the metrics are open without a credential on ${host}, port ${metricsPort}`,
        'a network or firewall that lets only Prometheus through; or unset METRICS_PORT and use an API token with the right monitoring:metrics',
      ),
    );
  }
  return findings;
}

function trustFindings({ host, trustProxy }: AddressSettings): readonly Finding[] {
  const everyone = trustProxy.filter((network) => EVERYONE.test(network));
  if (everyone.length > 0) {
    return [
      findingOf(
        'error',
        'addresses.trusts-everyone',
        `TRUST_PROXY names every address (${everyone.join(', ')}): any client chooses the address that policies, limits and log see`,
        'TRUST_PROXY with the addresses of the proxies alone',
      ),
    ];
  }
  const isLocalOnly = isLoopback(host) && trustProxy.length > 0;
  if (isLocalOnly && !trustProxy.some(includesLoopback)) {
    return [
      findingOf(
        'warning',
        'addresses.unreachable-proxy',
        `the server listens on ${host}, where only this machine reaches it, and TRUST_PROXY does not name this machine: no proxy is trusted`,
        'TRUST_PROXY=loopback, or HOST with the address that the proxy reaches',
      ),
    ];
  }
  return [];
}

function exemptionFindings({ trustProxy, limits }: AddressSettings): readonly Finding[] {
  const everyone = limits.exempt.filter((network) => EVERYONE.test(network));
  if (everyone.length > 0) {
    return [
      findingOf(
        'error',
        'addresses.exempts-everyone',
        `LIMIT_EXEMPT names every address (${everyone.join(', ')}): responses can be guessed without a limit of the client`,
        'LIMIT_EXEMPT with the addresses of the portals alone',
      ),
    ];
  }
  const proxies = limits.exempt.filter(
    (network) => network !== 'none' && !includesLoopback(network) && trustProxy.includes(network),
  );
  return proxies.length === 0
    ? []
    : [
        findingOf(
          'warning',
          'addresses.exempts-proxy',
          `LIMIT_EXEMPT names a proxy of TRUST_PROXY (${proxies.join(', ')}): what comes from it without X-Forwarded-For is not limited`,
          'take the proxy out of LIMIT_EXEMPT; name the portals behind it',
        ),
      ];
}

function includesLoopback(network: string): boolean {
  return network === 'loopback' || isLoopback(network.replace(/\/\d+$/, ''));
}

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

/** @returns a finding for each variable that the server does not read, although it looks like one of its own */
export function checkVariables(unknown: readonly string[]): readonly Finding[] {
  return unknown.map((name) =>
    findingOf(
      'warning',
      'variables.unknown',
      `the server does not read the variable ${name}`,
      `remove ${name}; \`tankeeper config\` lists the variables`,
    ),
  );
}

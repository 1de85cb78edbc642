import type { Configuration, Resolver } from '../configuration/configuration.ts';
import type { Clock } from '../kernel/clock.ts';
import { listNames } from '../kernel/text.ts';
import { listUnknownNames, unknownNames } from '../policy/policy-names.ts';
import { givesValue, policyValue } from '../policy/read-policy.ts';
import { certificateEnd } from '../resolvers/settings/setting-values.ts';
import { readSqlSettings } from '../resolvers/settings/sql-settings.ts';
import type { Findings } from './finding.ts';
import { dayOf, isLoopback } from './installation-findings.ts';
import type { InstallationStore } from './installation-store.ts';

export interface ExaminedConfiguration {
  readonly configuration: () => Promise<Configuration>;
  readonly installation: InstallationStore;
  readonly clock: Clock;
}

/** Milliseconds before an end from which on it is a finding: 14 days. */
const NOTICE_MS = 14 * 86_400_000;

export const CONFIGURATION_FINDINGS: Findings<ExaminedConfiguration> = {
  'policies.unreadable': {
    severity: 'error',
    find: async ({ configuration }) =>
      (await configuration()).policies
        .filter(({ active, fault }) => active && fault !== undefined)
        .map(({ name, remark }) => `the policy ${name} ${remark}`),
    remedy: '`tankeeper policy set NAME` with known names, or `tankeeper policy remove NAME`',
  },
  'policies.unknown-names': {
    severity: 'warning',
    find: async ({ configuration }) => {
      const stored = await configuration();
      return stored.policies
        .filter(({ active, fault }) => active && fault === undefined)
        .flatMap((policy) => {
          const unknown = listUnknownNames(unknownNames(policy, stored));
          return [
            ...(policy.remark === '' ? [] : [`the policy ${policy.name} ${policy.remark}`]),
            ...(unknown === '' ? [] : [`the policy ${policy.name} names what does not exist: ${unknown}`]),
          ];
        });
    },
    remedy:
      '`tankeeper policy set NAME` without them, or with the names of `tankeeper realm list` and `resolver list`',
  },
  'resolvers.insecure': {
    severity: 'warning',
    find: async ({ configuration }) =>
      (await configuration()).resolvers.flatMap((resolver) => {
        const fault = resolver.kind === 'ldap' ? ldapFault(resolver) : sqlFault(resolver);
        return fault === undefined ? [] : [`the resolver ${resolver.name} ${FAULTS[fault]}`];
      }),
    remedy:
      '`tankeeper resolver set NAME --set CACERTIFICATE="$(cat FILE)"` with `--set EnforceTLS=True --set only_trusted_certs=True` (LDAP) or `--set conParams=sslmode=verify-full` (SQL)',
  },
  'ends.soon': {
    severity: 'warning',
    find: async ({ configuration, installation, clock }) => {
      const now = clock.now();
      const end = new Date(now.getTime() + NOTICE_MS);
      const tokens = await installation.apiTokensEnding(now, end);
      return [
        ...tokens.map(
          ({ administrator, name, endsAt }) =>
            `the API token ${name} of ${administrator} ends on ${dayOf(endsAt)}`,
        ),
        ...(await configuration()).resolvers.flatMap(({ name, settings }) => {
          const endsAt = certificateEnd(settings);
          return endsAt === undefined || endsAt > end
            ? []
            : [
                `a certificate in CACERTIFICATE of the resolver ${name} ${endsAt <= now ? 'ended' : 'ends'} on ${dayOf(endsAt)}`,
              ];
        }),
      ];
    },
    remedy:
      '`tankeeper api-token add ADMINISTRATOR NEW_NAME RIGHTS`, then give it to its client; `tankeeper resolver set NAME --set CACERTIFICATE="$(cat FILE)"`',
  },
  'webhooks.failing': {
    severity: 'warning',
    find: async ({ installation }) =>
      (await installation.failingWebhooks()).map(
        ({ name, lastSuccessAt, lastFailureAt, lastFailure }) =>
          `the deliveries of the webhook ${name} fail, ${lastSuccessAt === null ? 'nothing was ever delivered' : `none since ${lastSuccessAt.toISOString()}`}: ${lastFailure}, last at ${lastFailureAt.toISOString()}`,
      ),
    remedy:
      'mend its receiver, then `tankeeper webhook test NAME`; `tankeeper webhook disable NAME` if it is of no use',
  },
};

const FAULTS = {
  plain: 'reads from another machine without TLS: logins and passwords travel in clear',
  unverified: 'does not verify the certificate of its server: another machine may answer in its place',
};

type TransportFault = keyof typeof FAULTS;

function ldapFault({ settings }: Resolver): TransportFault | undefined {
  const uris = (settings.LDAPURI ?? '').split(',').map((uri) => uri.trim());
  const remote = uris.filter((uri) => URL.canParse(uri) && !isLoopback(new URL(uri).hostname));
  if (remote.some((uri) => /^ldap:/i.test(uri)) && settings.EnforceTLS !== 'True') {
    return 'plain';
  }
  return remote.length > 0 && settings.only_trusted_certs === 'False' ? 'unverified' : undefined;
}

function sqlFault({ kind, settings }: Resolver): TransportFault | undefined {
  if (kind !== 'sql') {
    return undefined;
  }
  const { tls, server } = readSqlSettings(settings);
  if (server.startsWith('/') || isLoopback(server) || tls.startsWith('verify-')) {
    return undefined;
  }
  return tls === 'disable' ? 'plain' : 'unverified';
}

/** Findings about the address to which apps send their responses. They look at all tokens. */
export const ADDRESS_FINDINGS: Findings<ExaminedConfiguration> = {
  'realms.no-qrtanurl': {
    severity: 'warning',
    find: async (examined) => {
      const without = (await answerAddresses(examined)).filter(({ isCovered }) => !isCovered);
      return without.length === 0
        ? []
        : [
            `no policy gives the QR-TAN tokens in ${placesOf(without)} a qrtanurl: apps refuse their QR codes`,
          ];
    },
    remedy: '`tankeeper policy set NAME --scope authentication --realm REALM --action qrtanurl=URL`',
  },
  'realms.ambiguous-qrtanurl': {
    severity: 'error',
    find: async (examined) => {
      const ambiguous = (await answerAddresses(examined)).filter(({ values }) => values.length > 1);
      return ambiguous.length === 0
        ? []
        : [
            `policies give the QR-TAN tokens in ${placesOf(ambiguous)} different values of qrtanurl (${ambiguous[0]?.values.join(', ') ?? ''}): their challenges are refused`,
          ];
    },
    remedy: '`tankeeper policy set` or `tankeeper policy disable` for one of the policies',
  },
};

interface AnswerAddress {
  /** A set of realms that QR-TAN tokens are in; empty: no realm. */
  readonly realms: readonly string[];
  /** Some policy gives its tokens an address, if only for some users, clients or times. */
  readonly isCovered: boolean;
  readonly values: readonly string[];
}

async function answerAddresses({
  configuration,
  installation,
  clock,
}: ExaminedConfiguration): Promise<readonly AnswerAddress[]> {
  const { policies } = await configuration();
  const at = clock.now();
  return (await installation.realmsOfQrTokens()).map((realms) => {
    const covering = policies.filter((policy) => givesValue(policy, 'qrtanurl') && policy.covers(realms));
    const values = policyValue(covering, { scope: 'authentication', action: 'qrtanurl', realms, at });
    return { realms, isCovered: covering.length > 0, values };
  });
}

function placesOf(addresses: readonly AnswerAddress[]): string {
  return listNames(addresses.map(({ realms }) => (realms.length === 0 ? 'no realm' : realms.join('+'))));
}

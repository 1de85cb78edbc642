import { checkOcraSettings, isObeyed, OCRA_DEFAULTS } from '../configuration/settings.ts';
import type { Configuration, Resolver } from '../configuration/configuration.ts';
import { withTimeLimit } from '../kernel/bounded-work.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { listNames } from '../kernel/text.ts';
import { givesValue, policyValue, type ReadPolicy } from '../policy/read-policy.ts';
import { checkForeignPolicy } from '../policy/policy.ts';
import type { Policy } from '../policy/stored-policy.ts';
import { unknownNames, type UnknownPolicyName } from '../policy/policy-names.ts';
import { describeExamination } from '../resolvers/resolver-service.ts';
import { type Examination, unavailableResolvers } from '../resolvers/user-source.ts';
import { certificateEnd, readFlag } from '../resolvers/settings/setting-values.ts';
import { readSqlSettings } from '../resolvers/settings/sql-settings.ts';
import { isLoopback } from './environment-check.ts';
import { type Finding, findingOf } from './examination.ts';

/**
 * @param tokenRealms the sets of realms that QR-TAN tokens are in; an empty one: no realm
 * @returns findings about realms whose tokens get no address to send their responses to
 */
export function checkAnswerAddresses(
  { policies }: Configuration,
  tokenRealms: RealmSets,
  at: Date,
): readonly Finding[] {
  const urls = policies.filter((policy) => givesValue(policy, 'qrtanurl'));
  const faults = tokenRealms.flatMap((realms) => {
    const fault = urlFault(realms, urls, at);
    return fault === undefined ? [] : [{ ...fault, realms }];
  });
  // One cause is one finding, in however many realms.
  return [...new Set(faults.map(({ cause }) => cause))].flatMap((cause) => {
    const alike = faults.filter((fault) => fault.cause === cause);
    return alike.slice(0, 1).map(({ find }) => find(alike.map(({ realms }) => realms)));
  });
}

/** Sets of realms, each by names. */
type RealmSets = readonly (readonly string[])[];

interface UrlFault {
  /** The same for all realms that one change of the policies helps. */
  readonly cause: string;
  readonly find: (sets: RealmSets) => Finding;
}

/** @returns `in north and south`; of several sets, their number and the first ones */
function placeOf(sets: RealmSets): string {
  const [first = []] = sets;
  if (sets.length === 1) {
    return first.length === 0 ? 'without a realm' : `in ${first.join(' and ')}`;
  }
  const names = sets.map((realms) => (realms.length === 0 ? 'no realm' : realms.join('+')));
  return `in ${sets.length} sets of realms (${listNames(names)})`;
}

export function checkRealms({ realms }: Configuration): readonly Finding[] {
  if (realms.length === 0) {
    const text = 'there is no realm: no user is found';
    return [findingOf('note', 'realms.none', text, '`tankeeper realm add NAME --resolvers NAME`')];
  }
  return realms.some(({ isDefault }) => isDefault)
    ? []
    : [
        findingOf(
          'note',
          'realms.no-default',
          'no realm is the default one: requests that name no realm find no user',
          '`tankeeper realm default NAME`',
        ),
      ];
}

function urlFault(
  realms: readonly string[],
  policies: readonly ReadPolicy[],
  at: Date,
): UrlFault | undefined {
  const covering = policies.filter((policy) => policy.covers(realms));
  if (covering.length === 0) {
    return { cause: 'none', find: noUrl };
  }
  const values = policyValue(covering, { scope: 'authentication', action: 'qrtanurl', realms, at });
  const names = covering.map(({ name }) => name).join(', ');
  if (values.length > 1) {
    return {
      cause: `ambiguous ${names}`,
      find: (sets) =>
        findingOf(
          'error',
          'realms.ambiguous-qrtanurl',
          `policies give the QR-TAN tokens ${placeOf(sets)} ${values.length} different values of qrtanurl (${values.join(', ')}): their challenges are refused`,
          `\`tankeeper policy set\` or \`policy disable\`: one of ${names}`,
        ),
    };
  }
  const isForAll = covering.some(
    (policy) =>
      policy.client === '' &&
      policy.time === '' &&
      policy.means('qrtanurl', { login: '', realms, resolver: undefined }) === 'everybody',
  );
  return isForAll
    ? undefined
    : {
        cause: `partial ${names}`,
        find: (sets) =>
          findingOf(
            'note',
            'realms.partial-qrtanurl',
            `the policies that give the QR-TAN tokens ${placeOf(sets)} a qrtanurl hold for some users, clients or times only`,
            `\`tankeeper policy show ${covering[0]?.name ?? ''}\``,
          ),
      };
}

function noUrl(sets: RealmSets): Finding {
  const [first = []] = sets;
  const realm = sets.length > 1 || first.length === 0 ? "'*'" : first.join(',');
  return findingOf(
    'warning',
    'realms.no-qrtanurl',
    `no policy gives the QR-TAN tokens ${placeOf(sets)} a qrtanurl: apps refuse their QR codes`,
    `\`tankeeper policy set NAME --scope authentication --realm ${realm} --action qrtanurl=URL\``,
  );
}

/** An API token whose end is near. */
export interface EndingApiToken {
  readonly administrator: string;
  readonly name: string;
  readonly endsAt: Date;
}

/** Days before an end from which on it is a finding. */
export const NOTICE_DAYS = 14;
const DAY_MS = 86_400_000;

/**
 * @param apiTokens those that end within the notice
 * @returns findings about them, and about certificates of resolvers that end within it or have ended
 */
export function checkEnds(
  { resolvers }: Pick<Configuration, 'resolvers'>,
  apiTokens: readonly EndingApiToken[],
  at: Date,
): readonly Finding[] {
  return [
    ...apiTokens.map(({ administrator, name, endsAt }) =>
      findingOf(
        'warning',
        'ends.api-token',
        `the API token ${name} of ${administrator} ends on ${dayOf(endsAt)}`,
        `\`tankeeper api-token add ${administrator} NEW_NAME RIGHTS\`, then give it to its client`,
      ),
    ),
    ...resolvers.flatMap(({ name, settings }) => certificateFindings(name, certificateEnd(settings), at)),
  ];
}

function certificateFindings(resolver: string, end: Date | undefined, at: Date): readonly Finding[] {
  if (end === undefined || end.getTime() - at.getTime() > NOTICE_DAYS * DAY_MS) {
    return [];
  }
  const hasEnded = end <= at;
  return [
    findingOf(
      hasEnded ? 'error' : 'warning',
      'ends.certificate',
      `a certificate in CACERTIFICATE of the resolver ${resolver} ${hasEnded ? 'ended' : 'ends'} on ${dayOf(end)}`,
      `\`tankeeper resolver set ${resolver} --set-file CACERTIFICATE=FILE\``,
    ),
  ];
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** A receiver whose last deliveries have failed. */
export interface FailingWebhook {
  readonly name: string;
  /** Null: there was none. */
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date;
  readonly lastFailure: string;
}

export function checkWebhooks(failing: readonly FailingWebhook[]): readonly Finding[] {
  return failing.map(({ name, lastSuccessAt, lastFailureAt, lastFailure }) => {
    const since =
      lastSuccessAt === null ? 'nothing was ever delivered' : `none since ${lastSuccessAt.toISOString()}`;
    return findingOf(
      'warning',
      'webhooks.failing',
      `the deliveries of the webhook ${name} fail, ${since}: ${lastFailure}, last at ${lastFailureAt.toISOString()}`,
      `mend its receiver, then \`tankeeper webhook test ${name}\`; \`tankeeper webhook disable ${name}\` if it is of no use`,
    );
  });
}

/** @returns findings about policies that cannot be read, or name what does not exist */
export function checkPolicies(configuration: Configuration): readonly Finding[] {
  const { policies } = configuration;
  const readable = policies.filter((policy) => faultOf(policy) === undefined);
  return [
    ...policies.filter(({ active }) => active).flatMap(unreadable),
    ...unreadableInactive(policies.filter((policy) => !policy.active && faultOf(policy) !== undefined)),
    ...readable.flatMap((policy) => [
      ...unknownRealms(policy, unknownNames(policy, configuration)),
      ...unknownUsers(policy, unknownNames(policy, configuration)),
      ...unknownActions(policy),
    ]),
  ];
}

/**
 * @returns an unknown scope or action, or another reason why it has no effect, or would have none when it is switched
 *   on; undefined: there is none
 */
function faultOf(policy: ReadPolicy): string | undefined {
  if (policy.active) {
    return policy.fault;
  }
  try {
    checkForeignPolicy(policy);
    return undefined;
  } catch (error) {
    if (isServiceError(error, 'policy.invalid')) {
      return error.message;
    }
    throw error;
  }
}

function unknownActions({ name, remark }: ReadPolicy): readonly Finding[] {
  return remark === ''
    ? []
    : [
        findingOf(
          'warning',
          'policies.unknown-action',
          `the policy ${name} ${remark}`,
          `\`tankeeper policy set ${name}\` without them`,
        ),
      ];
}

function unreadable(policy: ReadPolicy): readonly Finding[] {
  return policy.fault === undefined
    ? []
    : [
        findingOf(
          'error',
          'policies.unreadable',
          `the policy ${policy.name} ${policy.remark}`,
          `\`tankeeper policy set ${policy.name}\` with known names, or \`tankeeper policy remove ${policy.name}\``,
        ),
      ];
}

/** An import brings along inactive policies of scopes that are unknown here: they are one note. */
function unreadableInactive(policies: readonly ReadPolicy[]): readonly Finding[] {
  const names = policies.map(({ name }) => name);
  return names.length === 0
    ? []
    : [
        findingOf(
          'note',
          'policies.unreadable-inactive',
          `inactive policies have scopes, actions or other parts that are unknown here: ${names.join(', ')}`,
          `\`tankeeper policy remove ${names[0] ?? ''}\`, if it is of no use`,
        ),
      ];
}

function unknownRealms(policy: Policy, unknown: readonly UnknownPolicyName[]): readonly Finding[] {
  const realms = unknown.filter(({ part }) => part === 'realm');
  return realms.length === 0
    ? []
    : [
        findingOf(
          policy.active ? 'warning' : 'note',
          'policies.unknown-realm',
          `the policy ${policy.name} names the realm ${namesOf(realms)}, which does not exist`,
          `\`tankeeper policy set ${policy.name}\` with one of the realms of \`tankeeper realm list\`, or \`tankeeper realm add ${realms[0]?.name ?? ''}\``,
        ),
      ];
}

function unknownUsers(policy: Policy, unknown: readonly UnknownPolicyName[]): readonly Finding[] {
  const users = unknown.filter(({ part }) => part === 'user');
  return users.length === 0
    ? []
    : [
        findingOf(
          policy.active ? 'warning' : 'note',
          'policies.unknown-user',
          `the policy ${policy.name} names the users ${namesOf(users)}, whose realm or resolver does not exist`,
          `\`tankeeper policy set ${policy.name}\` with existing ones in --user`,
        ),
      ];
}

function namesOf(unknown: readonly UnknownPolicyName[]): string {
  return unknown.map(({ name }) => name).join(', ');
}

/** @returns findings about configuration values that are invalid, or that no part of the server reads */
export function checkSettings({ settings }: Configuration): readonly Finding[] {
  const unknown = [...settings.keys()].filter((key) => !isObeyed(key));
  return [
    ...invalid(settings),
    ...(unknown.length === 0
      ? []
      : [
          findingOf(
            'note',
            'settings.unknown',
            `configuration values that the server does not read: ${unknown.join(', ')}`,
            `\`tankeeper setting remove ${unknown[0] ?? ''}\`; the known ones are ${[...OCRA_DEFAULTS.keys()].join(', ')}`,
          ),
        ]),
  ];
}

function invalid(settings: Configuration['settings']): readonly Finding[] {
  try {
    checkOcraSettings(settings);
    return [];
  } catch (error) {
    if (isServiceError(error, 'configuration.invalid')) {
      return [findingOf('error', 'settings.invalid', error.message, '`tankeeper setting set KEY VALUE`')];
    }
    throw error;
  }
}

interface ResolverTrial {
  /**
   * @throws ServiceError with the reason
   */
  readonly test: (name: string) => Promise<Examination>;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** @returns findings about the resolvers, each of which is tested */
export async function checkResolvers(
  { resolvers, realms }: Configuration,
  trial: ResolverTrial,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    resolvers.map(async (resolver) => [
      ...(await testResolver(resolver, trial)),
      ...checkResolverSettings({ resolvers: [resolver], realms }),
    ]),
  );
  return findings.flat();
}

/** @returns findings about the settings and the use of resolvers, none of which is asked */
export function checkResolverSettings({
  resolvers,
  realms,
}: Pick<Configuration, 'resolvers' | 'realms'>): readonly Finding[] {
  return resolvers.flatMap((resolver) => [
    ...transportFindings(resolver),
    ...(realms.some((realm) => realm.resolvers.includes(resolver.name)) ? [] : [unused(resolver)]),
  ]);
}

async function testResolver(
  { name }: Resolver,
  { test, timeoutMs }: ResolverTrial,
): Promise<readonly Finding[]> {
  try {
    const late = (): Error =>
      new ServiceError('resolver.unavailable', `it does not answer within ${timeoutMs / 1000} s`);
    const found = await withTimeLimit(timeoutMs, test(name), late);
    const unusable = found.entries > 0 ? `: ${describeExamination(found)}` : '';
    return found.users > 0
      ? []
      : [
          findingOf(
            'note',
            'resolvers.empty',
            `the resolver ${name} has no users${unusable}`,
            `\`tankeeper resolver show ${name}\` shows where they are read`,
          ),
        ];
  } catch (error) {
    const [failed] = unavailableResolvers(error);
    const reason = failed?.describe() ?? (isServiceError(error) ? error.message : 'an unexpected fault');
    return [
      findingOf(
        'error',
        'resolvers.unavailable',
        `the users of the resolver ${name} cannot be read: ${reason}`,
        `\`tankeeper resolver set ${name}\`, then \`tankeeper resolver test ${name}\``,
      ),
    ];
  }
}

function unused({ name }: Resolver): Finding {
  return findingOf(
    'note',
    'resolvers.unused',
    `the resolver ${name} is in no realm: its users are not found`,
    `\`tankeeper realm set REALM --resolvers ${name}\`, or \`tankeeper resolver remove ${name}\``,
  );
}

function transportFindings(resolver: Resolver): readonly Finding[] {
  try {
    return resolver.kind === 'ldap' ? ldapFindings(resolver) : sqlFindings(resolver);
  } catch (error) {
    if (isServiceError(error, 'resolver.invalid')) {
      const remedy = `\`tankeeper resolver set ${resolver.name}\``;
      const text = `the settings of the resolver ${resolver.name} are wrong: ${error.message}`;
      return [findingOf('error', 'resolvers.invalid', text, remedy)];
    }
    throw error;
  }
}

function ldapFindings({ name, settings }: Resolver): readonly Finding[] {
  const uris = (settings.LDAPURI ?? '').split(',').map((uri) => uri.trim());
  const remote = uris.filter((uri) => URL.canParse(uri) && !isLoopback(new URL(uri).hostname));
  const plain = remote.filter((uri) => /^ldap:/i.test(uri));
  const isEncrypted = plain.length === 0 || readFlag(settings, 'EnforceTLS', false);
  const findings: Finding[] = [];
  if (!isEncrypted) {
    const remedy = `\`tankeeper resolver set ${name} --set EnforceTLS=True\`, or ldaps:// in LDAPURI`;
    findings.push(unencrypted(name, remedy));
  }
  if (remote.length > 0 && isEncrypted && !readFlag(settings, 'only_trusted_certs', true)) {
    const remedy = `\`tankeeper resolver set ${name} --set only_trusted_certs=True --set-file CACERTIFICATE=FILE\``;
    findings.push(unverified(name, remedy));
  }
  return findings;
}

function sqlFindings({ name, kind, settings }: Resolver): readonly Finding[] {
  if (kind !== 'sql') {
    return [];
  }
  const { tls, server } = readSqlSettings(settings);
  const isLocal = server.startsWith('/') || isLoopback(server);
  const remedy = `\`tankeeper resolver set ${name} --set conParams=sslmode=verify-full --set-file CACERTIFICATE=FILE\``;
  if (isLocal || tls === 'verify-full' || tls === 'verify-ca') {
    return [];
  }
  return [tls === 'disable' ? unencrypted(name, remedy) : unverified(name, remedy)];
}

function unencrypted(name: string, remedy: string): Finding {
  const text = `the resolver ${name} reads from another machine without TLS: logins and passwords travel in clear`;
  return findingOf('warning', 'resolvers.no-tls', text, remedy);
}

function unverified(name: string, remedy: string): Finding {
  const text = `the resolver ${name} does not verify the certificate of its server: another machine may answer in its place`;
  return findingOf('warning', 'resolvers.unverified-tls', text, remedy);
}

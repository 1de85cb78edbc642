import type { Examination } from '../resolvers/user-source.ts';
import { describeExamination } from '../resolvers/resolver-trial.ts';
import { unavailableResolvers } from '../resolvers/resolver-unavailable.ts';
import type { Configuration, Resolver } from '../configuration/configuration.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { withTimeLimit } from '../kernel/bounded-work.ts';
import { readFlag } from '../resolvers/settings/setting-values.ts';
import { readSqlSettings } from '../resolvers/settings/sql-settings.ts';
import { type Finding, findingOf } from './finding.ts';
import { isLoopback } from './loopback.ts';

/** Reads the users of a resolver as a trial. */
export interface ResolverTrial {
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
      ...transportFindings(resolver),
      ...(realms.some((realm) => realm.resolvers.includes(resolver.name)) ? [] : [unused(resolver)]),
    ]),
  );
  return findings.flat();
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

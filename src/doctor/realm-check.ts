import type { Configuration } from '../configuration/configuration.ts';
import { policyValue } from '../policy/policy-value.ts';
import type { ReadPolicy } from '../policy/read-policy.ts';
import { type Finding, findingOf } from './finding.ts';

/**
 * @param tokenRealms the sets of realms that QR-TAN tokens are in; an empty one: no realm
 * @returns findings about realms, and about those whose tokens get no address to send their responses to
 */
export function checkRealms(
  { realms, policies }: Configuration,
  tokenRealms: readonly (readonly string[])[],
  at: Date,
): readonly Finding[] {
  const urls = policies.filter(isUrlPolicy);
  return [...defaultFindings(realms), ...tokenRealms.flatMap((names) => urlFindings(names, urls, at))];
}

function isUrlPolicy(policy: ReadPolicy): boolean {
  return policy.active && policy.scope === 'authentication' && /(?:^|,)\s*qrtanurl\s*=/.test(policy.action);
}

function defaultFindings(realms: Configuration['realms']): readonly Finding[] {
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

function urlFindings(
  realms: readonly string[],
  policies: readonly ReadPolicy[],
  at: Date,
): readonly Finding[] {
  const where = realms.length === 0 ? 'without a realm' : `in ${realms.join(' and ')}`;
  const covering = policies.filter((policy) => policy.covers(realms));
  if (covering.length === 0) {
    const realm = realms.length === 0 ? "'*'" : realms.join(',');
    return [
      findingOf(
        'warning',
        'realms.no-qrtanurl',
        `no policy gives the QR-TAN tokens ${where} a qrtanurl: apps refuse their QR codes`,
        `\`tankeeper policy set NAME --scope authentication --realm ${realm} --action qrtanurl=URL\``,
      ),
    ];
  }
  const values = policyValue(covering, { scope: 'authentication', action: 'qrtanurl', realms, at });
  if (values.length > 1) {
    return [
      findingOf(
        'error',
        'realms.ambiguous-qrtanurl',
        `policies give the QR-TAN tokens ${where} ${values.length} different values of qrtanurl (${values.join(', ')}): their challenges are refused`,
        `\`tankeeper policy set\` or \`policy disable\`: one of ${covering.map(({ name }) => name).join(', ')}`,
      ),
    ];
  }
  const isForAll = covering.some(
    (policy) =>
      policy.client === '' &&
      policy.time === '' &&
      policy.means('qrtanurl', { login: '', realms, resolver: undefined }) === 'everybody',
  );
  return isForAll
    ? []
    : [
        findingOf(
          'note',
          'realms.partial-qrtanurl',
          `the policies that give the QR-TAN tokens ${where} a qrtanurl hold for some users, clients or times only`,
          `\`tankeeper policy show ${covering[0]?.name ?? ''}\``,
        ),
      ];
}

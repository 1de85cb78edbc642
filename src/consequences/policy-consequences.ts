import type { Configuration } from '../configuration/configuration.ts';
import { listNames } from '../kernel/text.ts';
import type { RightsChange } from '../policy/lost-rights.ts';
import { policyValue } from '../policy/policy-value.ts';
import type { ReadPolicy } from '../policy/read-policy.ts';
import { type Consequence, consequence } from './consequence.ts';

/** Values of the scope authentication, and what follows where a realm has none any more, or another one. */
const VALUES = [
  { action: 'qrtanurl', lost: 'apps refuse new challenges: there is no callback URL' },
  { action: 'otppin', lost: 'responses need another PIN or password than before' },
] as const;

/**
 * @param after the policies that there would be
 * @returns the rights that administrators lose, and the values that realms lose; regardless of times and clients
 */
export function policyConsequences(
  configuration: Pick<Configuration, 'policies' | 'realms'>,
  after: readonly ReadPolicy[],
  { lost, nobodyWrites }: RightsChange,
  at: Date,
): readonly Consequence[] {
  return [
    ...consequence(
      nobodyWrites,
      'policy.lock-out',
      'no administrator can change policies over HTTP afterwards: only `tankeeper policy` on this machine can',
    ),
    ...lost.map(({ administrators: names, rights }) => ({
      code: 'policy.rights',
      text: `${listNames(names)} ${names.length === 1 ? 'loses' : 'lose'} ${listNames(rights)}`,
      names,
      rights,
    })),
    ...lostValues(configuration, after, at),
  ];
}

function lostValues(
  { policies, realms }: Pick<Configuration, 'policies' | 'realms'>,
  after: readonly ReadPolicy[],
  at: Date,
): readonly Consequence[] {
  return VALUES.flatMap(({ action, lost }) => {
    const valueIn = (base: readonly ReadPolicy[], realm: string): string =>
      policyValue(base, { scope: 'authentication', action, realms: [realm], at }).join(' ');
    const changed = realms
      .map(({ name }) => name)
      .filter((realm) => {
        const [was, is] = [valueIn(policies, realm), valueIn(after, realm)];
        return action === 'qrtanurl' ? was !== '' && is === '' : was !== is;
      });
    return consequence(changed.length > 0, `policy.${action}`, `in ${listNames(changed)}, ${lost}`, {
      names: changed,
    });
  });
}

import { ServiceError } from '../kernel/errors.ts';
import type { Policy } from './stored-policy.ts';

const FIELDS = ['name', 'scope', 'action', 'realm', 'user', 'client', 'time', 'active'] as const;

/**
 * Keeps an editor from overwriting the change of another one.
 * @param expected the policy that the editor has read; null: there was none
 * @throws ServiceError 'policy.changed' where the stored one is another
 */
export function assertUnchanged(name: string, expected: Policy | null, stored: Policy | null): void {
  if (!isSame(expected, stored)) {
    const what = expected === null ? 'was created' : stored === null ? 'was removed' : 'was changed';
    throw new ServiceError(
      'policy.changed',
      `The policy '${name}' ${what} by somebody else meanwhile; nothing was changed now`,
    );
  }
}

function isSame(one: Policy | null, other: Policy | null): boolean {
  return one === null || other === null
    ? one === other
    : FIELDS.every((field) => one[field] === other[field]);
}

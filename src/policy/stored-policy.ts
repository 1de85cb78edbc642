import { ServiceError } from '../kernel/errors.ts';

export const POLICY_SCOPES = [
  'admin',
  'system',
  'monitoring',
  'ocra',
  'authentication',
  'selfservice',
] as const;

export type PolicyScope = (typeof POLICY_SCOPES)[number];

/** The scopes whose policies give rights to administrators; those of the others are about the owners of tokens. */
export type RightScope = Exclude<PolicyScope, 'authentication' | 'selfservice'>;

export const RIGHT_SCOPES: readonly RightScope[] = POLICY_SCOPES.filter(
  (scope) => scope !== 'authentication' && scope !== 'selfservice',
);

/** A policy as it is stored: lists are comma separated texts, `*` means any; `policy.ts` reads them. */
export interface Policy {
  readonly name: string;
  /** One of `POLICY_SCOPES`; in a policy that was imported and is inactive, also another one. */
  readonly scope: string;
  /** Comma list of `action` or `action=value`. */
  readonly action: string;
  readonly realm: string;
  readonly user: string;
  /** Comma list of addresses and networks; empty means any. */
  readonly client: string;
  /** `minute hour day month weekday year;` as cron writes it; empty means always. */
  readonly time: string;
  readonly active: boolean;
}

export function invalidPolicy(message: string): ServiceError<'policy.invalid'> {
  return new ServiceError('policy.invalid', message);
}

/** @returns what is read of a policy, or the message of the ServiceError with which it cannot be read */
export function attempt<Value>(read: () => Value): { readonly value?: Value; readonly fault?: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof ServiceError) {
      return { fault: error.message };
    }
    throw error;
  }
}

const FIELDS = Object.keys({
  name: true,
  scope: true,
  action: true,
  realm: true,
  user: true,
  client: true,
  time: true,
  active: true,
} satisfies Record<keyof Policy, true>) as (keyof Policy)[];

/**
 * Keeps an editor from overwriting the change of another one.
 * @param expected the policy that the editor has read; null: there was none
 * @param by who has stored the other one
 * @throws ServiceError 'policy.changed' where the stored one is another
 */
export function assertUnchanged(
  name: string,
  expected: Policy | null,
  stored: Policy | null,
  by: string,
): void {
  if (!isSame(expected, stored)) {
    const what = expected === null ? 'was created' : stored === null ? 'was removed' : 'was changed';
    throw new ServiceError(
      'policy.changed',
      `The policy '${name}' ${what} by ${by} meanwhile; nothing was changed now`,
    );
  }
}

function isSame(one: Policy | null, other: Policy | null): boolean {
  return one === null || other === null
    ? one === other
    : FIELDS.every((field) => one[field] === other[field]);
}

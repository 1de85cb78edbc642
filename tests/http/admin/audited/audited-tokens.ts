import type { Act } from './audited-act.ts';

interface TokenParts {
  /** @returns the serial of a new token */
  readonly token: () => Promise<string>;
  /** As `token`, in the realm `north`. */
  readonly inRealm: () => Promise<string>;
  /** As `inRealm`, of `ann`. */
  readonly assigned: () => Promise<string>;
}

/** @returns the operations on tokens */
export function auditedTokens({ token, inRealm, assigned }: TokenParts): Readonly<Record<string, Act>> {
  const one =
    (given: Readonly<Record<string, string>> = {}, make = token): Act['prepare'] =>
    async () => ({ values: { serial: await make(), ...given } });
  const several =
    (make = token): Act['prepare'] =>
    async () => ({ values: { serials: await make() } });
  return {
    '/admin/token/set': {
      prepare: one({ description: 'new' }),
      outcomes: ['changed description'],
      action: 'token/set',
    },
    '/admin/token/remove-pin': {
      prepare: one(),
      outcomes: ['removed pin'],
      action: 'token/remove-pin',
      isIdle: true,
    },
    '/admin/token/resync': {
      prepare: one({ otp1: '1', otp2: '2', challenge1: '11111111', challenge2: '22222222' }),
      outcomes: ['refused'],
      action: 'token/resync',
      isIdle: true,
    },
    '/admin/token/enable': {
      prepare: several(),
      outcomes: ['changed active'],
      action: 'token/enable',
      isIdle: true,
    },
    '/admin/token/disable': { prepare: several(), outcomes: ['changed active'], action: 'token/disable' },
    '/admin/token/lose': { prepare: several(), outcomes: ['changed active'], action: 'token/lost' },
    '/admin/token/reset': {
      prepare: several(),
      outcomes: ['changed failCount'],
      action: 'token/reset',
      isIdle: true,
    },
    '/admin/token/assign': {
      prepare: one({ user: 'ann', realm: 'north' }, inRealm),
      outcomes: ['changed owner, realms'],
      action: 'token/assign',
    },
    '/admin/token/unassign': {
      prepare: several(assigned),
      outcomes: ['changed owner'],
      action: 'token/unassign',
    },
    '/admin/token/realms': {
      prepare: one({ realms: 'north' }),
      outcomes: ['changed realms'],
      action: 'token/tokenrealm',
    },
    '/admin/token/remove': { prepare: several(), outcomes: ['removed'], action: 'token/remove' },
  };
}

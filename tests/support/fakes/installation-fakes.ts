import type { Answer, FakeServices } from './answer.ts';

const AT = new Date('2026-11-20T10:55:31.000Z');
const KEY_ID = '0123456789abcdef';

/** @returns the services of trials, consequences, keys and the licence, with constant answers */
export function fakeInstallation(answer: Answer): FakeServices {
  const foretold = [{ code: 'realm.default', text: 'it is the default realm' }];
  const licence = {
    fields: { licensee: 'Example AG' },
    unit: 'user' as const,
    licensed: 5,
    startsAt: undefined,
    endsAt: AT,
  };
  return {
    resolverTrials: { try: answer('tryResolver', { kind: 'read' as const, users: 3, first: undefined }) },
    consequences: {
      ofRealmRemoval: answer('ofRealmRemoval', foretold),
      ofRealmChange: answer('ofRealmChange', foretold),
      ofDefaultRealm: answer('ofDefaultRealm', foretold),
      ofResolverRemoval: answer('ofResolverRemoval', foretold),
      ofUserRemoval: answer('ofUserRemoval', foretold),
      ofPasswordRemoval: answer('ofPasswordRemoval', foretold),
    },
    keyOverview: {
      show: answer('showKeys', {
        keys: [
          {
            keyId: KEY_ID,
            addedAt: AT,
            isCurrent: true,
            currentSince: AT,
            retiredAt: undefined,
            secrets: 7,
          },
        ],
        servers: [{ place: 'tan1:4711', keyIds: [KEY_ID], sealingKey: KEY_ID }],
        countedAt: AT,
      }),
    },
    licences: {
      show: answer('showLicence', { kind: 'none' as const }),
      install: answer('installLicence', { kind: 'valid' as const, licence, active: 2 }),
      remove: answer('removeLicence', undefined),
    },
  };
}

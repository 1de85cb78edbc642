import type { Answer, FakeServices } from './answer.ts';

const AT = new Date('2026-11-20T10:55:31.000Z');
const KEY_ID = '0123456789abcdef';

/** @returns the services of trials, consequences, keys, the licence and webhooks, with constant answers */
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
    webhooks: fakeWebhooks(answer),
  };
}

function fakeWebhooks(answer: Answer): NonNullable<FakeServices['webhooks']> {
  return {
    list: answer('listWebhooks', [
      {
        name: 'siem',
        url: 'https://siem.example.com/',
        allowsHttp: false,
        isBounded: true,
        events: ['token.locked' as const],
        realms: [],
        isEnabled: true,
        createdAt: AT,
        waiting: 1,
        oldestAt: AT,
        givenUp: 0,
        delivered: 2,
        lastSuccessAt: AT,
        lastFailureAt: null,
        lastFailure: '',
      },
    ]),
    deliveries: answer('deliveries', [
      {
        eventId: 'e1',
        type: 'token.locked',
        occurredAt: AT,
        attempts: 1,
        nextAttemptAt: AT,
        givenUpAt: null,
        lastFailure: 'HTTP 500',
      },
    ]),
    add: answer('addWebhook', 'whsec_c2VjcmV0'),
    enable: answer('enableWebhook', undefined),
    replaceSecret: answer('replaceSecret', 'whsec_c2VjcmV0'),
    retry: answer('retryWebhook', 1),
    remove: answer('removeWebhook', 1),
    test: answer('testWebhook', { result: { status: 200 }, eventId: 'e1', durationMs: 5 }),
  };
}

import type { PolicyPreview } from '../../../src/consequences/configuration-consequences.ts';
import type { RightsExplanation } from '../../../src/policy/explanation-service.ts';
import { policyNames } from '../../../src/policy/policy-names.ts';
import { ReadPolicy } from '../../../src/policy/read-policy.ts';
import type { Realm, Resolver } from '../../../src/configuration/configuration.ts';
import type { DescribedToken } from '../../../src/tokens/token-view.ts';
import type { Answer, FakeServices } from './answer.ts';
import { fakeInstallation } from './installation-fakes.ts';

const AT = new Date('2026-11-20T10:55:31.000Z');

const SHOWN_TOKEN: DescribedToken = {
  id: '4',
  serial: 'OCRA000455E5',
  type: 'ocra',
  description: '',
  owner: { resolverId: '1', resolver: 'myDefRes', userId: '0', login: 'root' },
  realms: ['mydefrealm'],
  active: true,
  failCount: 0,
  maxFail: 10,
  counter: 1n,
  counterWindow: 10,
  syncWindow: 1000,
  timeShift: 0,
  ocraSuite: 'OCRA-1:HOTP-SHA256-8:C-QA64',
  rollout: 'complete',
  hasPin: false,
  createdAt: AT,
  lastSuccessAt: null,
};
const POLICY = new ReadPolicy({
  name: 'ocra_allowance',
  scope: 'ocra',
  action: 'request, status, activationcode, calcOTP',
  realm: 'mydefrealm',
  user: 'ocra_admin',
  client: '*',
  time: '',
  active: true,
});
const RESOLVERS: readonly Resolver[] = [
  {
    id: '1',
    name: 'myDefRes',
    kind: 'passwd',
    isBounded: true,
    settings: { fileName: '/etc/tokens/def-passwd' },
  },
  { id: '2', name: 'myOtherRes', kind: 'managed', settings: {}, isBounded: true },
];
const REALMS: readonly Realm[] = [
  { id: '1', name: 'mydefrealm', isDefault: true, resolvers: ['myDefRes'] },
  { id: '2', name: 'myotherrealm', isDefault: false, resolvers: ['myOtherRes'] },
];

const PREVIEW: PolicyPreview = {
  problems: [{ field: 'action', message: "Unknown action 'x'" }],
  unknownNames: [{ part: 'realm', name: 'offize', nearest: 'office' }],
  consequences: [{ code: 'policy.rights', text: 'anna loses admin:init' }],
  lost: [{ administrators: ['anna'], rights: ['admin:init'] }],
  locksOut: false,
};
const EXPLAINED: RightsExplanation = {
  administrator: 'anna',
  groups: undefined,
  isKnown: true,
  realm: 'mydefrealm',
  client: '',
  at: AT,
  rights: [
    {
      right: { scope: 'admin', action: 'init' },
      decision: { allowed: true, by: 'policies', realms: ['myotherrealm'], policies: [POLICY] },
      allowed: false,
      policies: [
        { policy: 'p', applies: false, obstacles: [{ kind: 'realm', text: 'it is for the realms x' }] },
      ],
    },
  ],
};

function fakeExplanations(answer: Answer): NonNullable<FakeServices['explanations']> {
  return {
    names: answer(
      'policyNames',
      policyNames({ policies: [POLICY], realms: REALMS, resolvers: [] }, ['anna']),
    ),
    explainRights: answer('explainRights', EXPLAINED),
    explainValues: answer('explainValues', {
      user: 'bert',
      realm: undefined,
      client: '',
      at: AT,
      values: [
        {
          action: 'otppin',
          values: ['1'],
          policies: [{ policy: 'p', applies: true, obstacles: [], value: '1' }],
        },
      ],
    }),
    explainRefusal: answer('explainRefusal', {
      ...EXPLAINED,
      refusal: {
        requestId: 'request-1',
        administrator: 'anna',
        endpoint: 'admin/init',
        client: '',
        realm: '',
        right: { scope: 'admin' as const, action: 'init' },
        isByApiToken: false,
        at: AT,
      },
      changes: [{ policy: 'p', kind: 'set' as const, administrator: 'bert', at: AT }],
    }),
  };
}

/** @returns services of administration with constant answers */
export function fakeAdministration(answer: Answer): FakeServices {
  const installation = fakeInstallation(answer);
  return {
    ...installation,
    tokens: {
      page: answer('page', {
        tokens: [SHOWN_TOKEN],
        total: 3,
        page: 1,
        pageSize: 2,
        resolverKinds: new Map([['myDefRes', 'passwd' as const]]),
      }),
      assign: answer('assign', SHOWN_TOKEN),
      setRealms: answer('setRealms', SHOWN_TOKEN),
      enable: answer('enable', 1),
      disable: answer('disable', 1),
      reset: answer('reset', 1),
      unassign: answer('unassign', 1),
      set: answer('set', 1),
      removePin: answer('removePin', 1),
      remove: answer('remove', 2),
    },
    users: {
      find: answer('findUsers', [
        {
          login: 'root',
          userId: '0',
          givenName: 'Ro',
          surname: 'Ot',
          email: 'root@example.com',
          phone: '+49 30 1',
          resolver: 'myDefRes',
          kind: 'passwd' as const,
        },
      ]),
      add: answer('addUser', {
        login: 'anna',
        userId: '7',
        givenName: '',
        surname: '',
        email: '',
        phone: '',
      }),
      setPassword: answer('setUserPassword', undefined),
      remove: answer('removeUser', undefined),
    },
    policies: {
      list: answer('list', [POLICY]),
      set: answer('setPolicy', POLICY),
      remove: answer('removePolicy', undefined),
    },
    explanations: fakeExplanations(answer),
    consequences: {
      ...installation.consequences,
      previewPolicy: answer('previewPolicy', PREVIEW),
      previewPolicyRemoval: answer('previewPolicyRemoval', PREVIEW),
      ofSetting: answer('ofSetting', [{ code: 'setting.expiry', text: 'open challenges expire' }]),
    },
    realms: {
      list: answer('listRealms', REALMS),
      set: answer('setRealm', undefined),
      remove: answer('removeRealm', undefined),
      setDefault: answer('setDefaultRealm', undefined),
    },
    resolvers: {
      list: answer('listResolvers', RESOLVERS),
      show: answer('showResolver', {
        id: '1',
        name: 'myDefRes',
        kind: 'passwd' as const,
        settings: { fileName: '/etc/tokens/def-passwd' },
        isBounded: true,
      }),
      set: answer('setResolver', undefined),
      remove: answer('removeResolver', undefined),
    },
    settings: {
      overview: answer('overview', {
        values: new Map([
          ['OcraMaxChallenges', '4'],
          ['errors', '77'],
        ]),
        realms: REALMS,
        resolvers: RESOLVERS,
        changedAt: AT,
      }),
      describe: answer('describeSettings', [
        {
          key: 'OcraMaxChallenges',
          value: '4',
          isSet: false,
          isKnown: true,
          isWithheld: false,
          initial: '4',
          form: 'number' as const,
          min: 1,
          max: 1000,
          meaning: 'open challenges',
        },
        { key: 'password', value: undefined, isSet: true, isKnown: false, isWithheld: true },
      ]),
      check: answer('checkConfiguration', undefined),
      unreadReason: () => undefined,
      set: answer('setConfiguration', undefined),
      remove: answer('removeConfiguration', undefined),
    },
  };
}

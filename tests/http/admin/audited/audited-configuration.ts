import { OPERATOR, type TestApplication } from '../../../support/application/test-application.ts';
import type { Act, RequestValues } from './audited-act.ts';

interface ConfigurationParts {
  readonly application: () => TestApplication;
  /** An unused name. */
  readonly name: () => string;
  readonly policy: () => Promise<RequestValues>;
  readonly spareRealm: () => Promise<string>;
  readonly spareResolver: () => Promise<string>;
}

/** The operations on policies, realms, resolvers and settings. */
export function auditedConfiguration({
  application,
  name,
  policy,
  spareRealm,
  spareResolver,
}: ConfigurationParts): Readonly<Record<string, Act>> {
  return {
    '/admin/policy/set': {
      prepare: () =>
        Promise.resolve({
          values: { name: name(), scope: 'authentication', action: 'otppin=2', realm: 'north' },
        }),
      outcomes: ['stored'],
      action: 'policy/set',
    },
    '/admin/policy/enable': {
      prepare: async () => ({ values: await policy() }),
      outcomes: ['stored'],
      action: 'policy/set',
    },
    '/admin/policy/disable': {
      prepare: async () => ({ values: await policy() }),
      outcomes: ['stored'],
      action: 'policy/set',
    },
    '/admin/policy/remove': {
      prepare: async () => ({ values: await policy() }),
      outcomes: ['removed'],
      action: 'policy/remove',
    },
    '/admin/resolver/add': {
      prepare: () => Promise.resolve({ values: { name: name() } }),
      outcomes: ['created'],
      action: 'resolver/set',
    },
    '/admin/resolver/set': {
      prepare: async () => ({ values: { name: await spareResolver() } }),
      outcomes: ['changed'],
      action: 'resolver/set',
    },
    '/admin/resolver/remove': {
      prepare: async () => ({ values: { name: await spareResolver() } }),
      outcomes: ['removed'],
      action: 'resolver/remove',
    },
    '/admin/realm/add': {
      prepare: () => Promise.resolve({ values: { name: name(), resolvers: 'north' } }),
      outcomes: ['created'],
      action: 'realm/set',
    },
    '/admin/realm/set': {
      prepare: async () => ({ values: { name: await spareRealm(), resolvers: 'north' } }),
      outcomes: ['changed'],
      action: 'realm/set',
    },
    '/admin/realm/remove': {
      prepare: async () => ({ values: { name: await spareRealm() } }),
      outcomes: ['removed, from 0 tokens'],
      action: 'realm/remove',
    },
    '/admin/realm/default': {
      prepare: () => Promise.resolve({ values: { name: 'north' } }),
      outcomes: ['default realm'],
      action: 'realm/default',
    },
    '/admin/realm/no-default': {
      prepare: async () => {
        await application().services.realms.setDefault(OPERATOR, 'north');
        return { values: {} };
      },
      outcomes: ['no default realm'],
      action: 'realm/default',
    },
    '/admin/setting/set': {
      prepare: () => Promise.resolve({ values: { key: 'first', value: '1' } }),
      outcomes: ['stored'],
      action: 'configuration/set',
    },
    '/admin/setting/remove': {
      prepare: async () => {
        const key = name();
        await application().services.settings.set(OPERATOR, new Map([[key, 'x']]));
        return { values: { key } };
      },
      outcomes: ['removed'],
      action: 'configuration/remove',
    },
  };
}

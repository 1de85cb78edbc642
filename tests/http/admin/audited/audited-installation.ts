import { OPERATOR, type TestApplication } from '../../../support/application/test-application.ts';
import type { Act, ActRequest } from './audited-act.ts';

interface InstallationParts {
  readonly application: () => TestApplication;
  /** @returns a name that nothing has */
  readonly name: () => string;
}

/** @returns the acts on webhooks and managed users, and the trials of resolvers */
export function auditedInstallation(parts: InstallationParts): Readonly<Record<string, Act>> {
  return {
    '/admin/resolver/test': {
      prepare: () => Promise.resolve({ values: { name: parts.name(), kind: 'managed' } }),
      outcomes: ['begun', 'done, 0 users'],
      action: 'resolver/test',
      isIdle: true,
    },
    '/admin/testresolver': {
      prepare: () => Promise.resolve({ values: { type: 'managed' } }),
      outcomes: ['begun', 'done, 0 users'],
      action: 'resolver/test',
      isIdle: true,
    },
    ...userActs(parts),
    ...webhookActs(parts),
  };
}

function userActs({ application, name }: InstallationParts): Readonly<Record<string, Act>> {
  const user = async (password?: string): Promise<ActRequest['values']> => {
    const login = name();
    await application().services.users.add(OPERATOR, { resolver: 'north', login, password });
    return { resolver: 'north', login };
  };
  return {
    '/admin/user/add': {
      prepare: () => Promise.resolve({ values: { resolver: 'north', login: name() } }),
      outcomes: ['created'],
      action: 'user/add',
    },
    '/admin/user/password': {
      prepare: async () => ({ values: { ...(await user()), password: 'a long one' } }),
      outcomes: ['password changed'],
      action: 'user/password',
    },
    '/admin/user/remove-password': {
      prepare: async () => ({ values: await user('a long one') }),
      outcomes: ['password changed'],
      action: 'user/password',
    },
    '/admin/user/remove': {
      prepare: async () => ({ values: await user() }),
      outcomes: ['removed, 0 tokens unassigned'],
      action: 'user/remove',
    },
  };
}

function webhookActs({ application, name: newName }: InstallationParts): Readonly<Record<string, Act>> {
  const added = async (): Promise<ActRequest> => {
    const name = newName();
    // Nothing listens there.
    await application().services.webhooks.add(OPERATOR, { name, url: 'http://127.0.0.1:1/' });
    return { values: { name } };
  };
  return {
    '/admin/webhook/add': {
      prepare: () => Promise.resolve({ values: { name: newName(), url: 'https://siem.example.com/' } }),
      outcomes: ['created'],
      action: 'webhook/add',
    },
    '/admin/webhook/rotate-secret': {
      prepare: added,
      outcomes: ['secret replaced'],
      action: 'webhook/rotate-secret',
    },
    '/admin/webhook/set': { prepare: added, outcomes: ['changed'], action: 'webhook/set' },
    '/admin/webhook/enable': { prepare: added, outcomes: ['enabled'], action: 'webhook/enable' },
    '/admin/webhook/disable': { prepare: added, outcomes: ['disabled'], action: 'webhook/disable' },
    '/admin/webhook/test': { prepare: added, outcomes: ['failed'], action: 'webhook/test', isIdle: true },
    '/admin/webhook/retry': {
      prepare: added,
      outcomes: ['retried, 0 deliveries'],
      action: 'webhook/retry',
      isIdle: true,
    },
    '/admin/webhook/remove': {
      prepare: added,
      outcomes: ['removed, 0 deliveries'],
      action: 'webhook/remove',
    },
  };
}

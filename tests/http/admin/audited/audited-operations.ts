import { OPERATOR, type TestApplication } from '../../../support/application/test-application.ts';
import type { Act, ActRequest, RequestValues } from './audited-act.ts';
import { until } from '../../../support/values/until.ts';
import { basic } from '../../../support/values/callers.ts';
import { PASSWORD } from './audited-sign-ins.ts';

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
    },
    '/admin/resolver/add': {
      prepare: () => Promise.resolve({ values: { name: name() } }),
      outcomes: ['created'],
      action: 'resolver/set',
    },
    '/admin/resolver/set': {
      prepare: async () => ({ values: { name: await spareResolver() } }),
      outcomes: ['changed'],
    },
    '/admin/resolver/remove': {
      prepare: async () => ({ values: { name: await spareResolver() } }),
      outcomes: ['removed'],
    },
    '/admin/realm/add': {
      prepare: () => Promise.resolve({ values: { name: name(), resolvers: 'north' } }),
      outcomes: ['created'],
      action: 'realm/set',
    },
    '/admin/realm/set': {
      prepare: async () => ({ values: { name: await spareRealm(), resolvers: 'north' } }),
      outcomes: ['changed'],
    },
    '/admin/realm/remove': {
      prepare: async () => ({ values: { name: await spareRealm() } }),
      outcomes: ['removed, from 0 tokens'],
    },
    '/admin/realm/default': {
      prepare: () => Promise.resolve({ values: { name: 'north' } }),
      outcomes: ['default realm'],
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
    '/admin/token/set': { prepare: one({ description: 'new' }), outcomes: ['changed description'] },
    '/admin/token/remove-pin': { prepare: one(), outcomes: ['removed pin'], isIdle: true },
    '/admin/token/resync': {
      prepare: one({ otp1: '1', otp2: '2', challenge1: '11111111', challenge2: '22222222' }),
      outcomes: ['refused'],
      isIdle: true,
    },
    '/admin/token/enable': { prepare: several(), outcomes: ['changed active'], isIdle: true },
    '/admin/token/disable': { prepare: several(), outcomes: ['changed active'] },
    '/admin/token/lose': { prepare: several(), outcomes: ['changed active'], action: 'token/lost' },
    '/admin/token/reset': { prepare: several(), outcomes: ['changed failCount'], isIdle: true },
    '/admin/token/assign': {
      prepare: one({ user: 'ann', realm: 'north' }, inRealm),
      outcomes: ['changed owner, realms'],
    },
    '/admin/token/unassign': { prepare: several(assigned), outcomes: ['changed owner'] },
    '/admin/token/realms': {
      prepare: one({ realms: 'north' }),
      outcomes: ['changed realms'],
      action: 'token/tokenrealm',
    },
    '/admin/token/remove': { prepare: several(), outcomes: ['removed'] },
  };
}

/** @returns the acts that read the whole audit */
export function auditedAudit(application: () => TestApplication): Readonly<Record<string, Act>> {
  return {
    '/admin/audit/export': {
      prepare: () => Promise.resolve({ values: {} }),
      action: 'audit/export',
      outcomes: ['handed out as jsonl'],
      isIdle: true,
    },
    '/admin/audit/verify': {
      prepare: async () => {
        // One at a time runs.
        const { auditVerification } = application().services;
        await until(async () => (await auditVerification.newest(OPERATOR)).verification?.state !== 'running');
        return { values: {} };
      },
      outcomes: ['begun'],
      isIdle: true,
    },
  };
}

interface AdministratorParts {
  readonly application: () => TestApplication;
  /** @returns a name that no administrator has */
  readonly name: () => string;
  readonly suite: string;
}

/** The password of the administrator, who has no second factor: enough to change credentials. */
const headers = { Authorization: basic('admin', PASSWORD) };

/** @returns the acts of the management of administrators and API tokens */
export function auditedAdministrators(parts: AdministratorParts): Readonly<Record<string, Act>> {
  const { application, name, suite } = parts;
  let enrolled: Promise<unknown> | undefined;
  const token = async (): Promise<string> => {
    await (enrolled ??= application().enrolPlain('FACTOR', suite));
    return 'FACTOR';
  };
  const about =
    (more: () => Promise<RequestValues> | RequestValues = () => ({})) =>
    async (): Promise<ActRequest> => {
      const administrator = name();
      await application().services.administrators.add(OPERATOR, administrator, PASSWORD);
      return { values: { administrator, ...(await more()) }, headers };
    };
  return {
    '/admin/admin/add': {
      prepare: () => Promise.resolve({ values: { administrator: name(), password: PASSWORD }, headers }),
      outcomes: ['created'],
      action: 'administrator/add',
    },
    '/admin/admin/remove': { prepare: about(), outcomes: ['removed'], action: 'administrator/remove' },
    '/admin/admin/password': {
      prepare: about(() => ({ password: 'another password' })),
      outcomes: ['password changed'],
      action: 'administrator/password',
    },
    '/admin/second-factor/set': {
      prepare: about(async () => ({ serial: await token() })),
      outcomes: ['second factor: token FACTOR'],
      action: 'administrator/second-factor',
    },
    '/admin/second-factor/remove': {
      prepare: about(),
      outcomes: ['second factor removed'],
      action: 'administrator/second-factor',
      // There was none.
      isIdle: true,
    },
    '/admin/second-factor/passkey-link': {
      prepare: about(),
      outcomes: ['passkey link created'],
      action: 'administrator/second-factor',
    },
    '/admin/api-token/add': {
      prepare: about(() => ({ name: 'probe', rights: 'monitoring:*', expires: '90D' })),
      outcomes: ['created'],
    },
    '/admin/api-token/remove': {
      prepare: async () => {
        const asked = await about(() => ({ name: 'probe' }))();
        const draft = { name: 'probe', rights: ['monitoring:*'] };
        const { administrator = '' } = asked.values;
        await application().services.administrators.addApiToken(OPERATOR, administrator, draft);
        return asked;
      },
      outcomes: ['removed'],
    },
  };
}

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
    },
    '/admin/user/password': {
      prepare: async () => ({ values: { ...(await user()), password: 'a long one' } }),
      outcomes: ['password changed'],
    },
    '/admin/user/remove-password': {
      prepare: async () => ({ values: await user('a long one') }),
      outcomes: ['password changed'],
      action: 'user/password',
    },
    '/admin/user/remove': {
      prepare: async () => ({ values: await user() }),
      outcomes: ['removed, 0 tokens unassigned'],
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
    },
    '/admin/webhook/rotate-secret': { prepare: added, outcomes: ['secret replaced'] },
    '/admin/webhook/set': { prepare: added, outcomes: ['changed'] },
    '/admin/webhook/enable': { prepare: added, outcomes: ['enabled'] },
    '/admin/webhook/disable': { prepare: added, outcomes: ['disabled'] },
    '/admin/webhook/test': { prepare: added, outcomes: ['failed'], isIdle: true },
    '/admin/webhook/retry': { prepare: added, outcomes: ['retried, 0 deliveries'], isIdle: true },
    '/admin/webhook/remove': { prepare: added, outcomes: ['removed, 0 deliveries'] },
  };
}

import { OPERATOR, type TestApplication } from '../../../support/application/test-application.ts';
import { type Act, act, type RequestValues } from './audited-act.ts';
import { until } from '../../../support/values/until.ts';
import { basic } from '../../../support/values/callers.ts';
import { PASSWORD } from './audited-sign-ins.ts';

type Acts = Readonly<Record<string, Act>>;

interface Parts {
  readonly application: () => TestApplication;
  /** @returns a name that nothing has */
  readonly name: () => string;
  readonly suite: string;
  readonly policy: () => Promise<RequestValues>;
  readonly spareRealm: () => Promise<string>;
  readonly spareResolver: () => Promise<string>;
  /** @returns the serial of a new token */
  readonly token: () => Promise<string>;
  /** As `token`, in the realm `north`. */
  readonly inRealm: () => Promise<string>;
  /** As `inRealm`, of `ann`. */
  readonly assigned: () => Promise<string>;
}

/** @returns the key of a setting that is stored */
export async function storedKey({
  application,
  name,
}: Pick<Parts, 'application' | 'name'>): Promise<RequestValues> {
  const key = name();
  await application().services.settings.set(OPERATOR, new Map([[key, 'x']]));
  return { key };
}

/** The operations on policies, realms, resolvers and settings. */
export function auditedConfiguration(parts: Parts): Acts {
  const { application, name, policy, spareRealm } = parts;
  const resolver = async (): Promise<RequestValues> => ({ name: await parts.spareResolver() });
  return {
    '/admin/policy/set': act(
      () => ({ name: name(), scope: 'authentication', action: 'otppin=2', realm: 'north' }),
      'stored',
    ),
    '/admin/policy/enable': act(policy, 'stored', { action: 'policy/set' }),
    '/admin/policy/disable': act(policy, 'stored', { action: 'policy/set' }),
    '/admin/policy/remove': act(policy, 'removed'),
    '/admin/resolver/add': act(() => ({ name: name() }), 'created', { action: 'resolver/set' }),
    '/admin/resolver/set': act(resolver, 'changed'),
    '/admin/resolver/remove': act(resolver, 'removed'),
    '/admin/realm/add': act(() => ({ name: name(), resolvers: 'north' }), 'created', { action: 'realm/set' }),
    '/admin/realm/set': act(async () => ({ name: await spareRealm(), resolvers: 'north' }), 'changed'),
    '/admin/realm/remove': act(async () => ({ name: await spareRealm() }), 'removed, from 0 tokens'),
    '/admin/realm/default': act(() => ({ name: 'north' }), 'default realm'),
    '/admin/realm/no-default': act(
      async () => {
        await application().services.realms.setDefault(OPERATOR, 'north');
        return {};
      },
      'no default realm',
      { action: 'realm/default' },
    ),
    '/admin/setting/set': act(() => ({ key: 'first', value: '1' }), 'stored', {
      action: 'configuration/set',
    }),
    '/admin/setting/remove': act(() => storedKey(parts), 'removed', { action: 'configuration/remove' }),
  };
}

/** @returns the operations on tokens */
export function auditedTokens({ token, inRealm, assigned }: Parts): Acts {
  const one =
    (given: RequestValues = {}, make = token) =>
    async (): Promise<RequestValues> => ({ serial: await make(), ...given });
  const several =
    (make = token) =>
    async (): Promise<RequestValues> => ({ serials: await make() });
  const resync = { otp1: '1', otp2: '2', challenge1: '11111111', challenge2: '22222222' };
  return {
    '/admin/token/set': act(one({ description: 'new' }), 'changed description'),
    '/admin/token/remove-pin': act(one(), 'removed pin', { isIdle: true }),
    '/admin/token/resync': act(one(resync), 'refused', { isIdle: true }),
    '/admin/token/enable': act(several(), 'changed active', { isIdle: true }),
    '/admin/token/disable': act(several(), 'changed active'),
    '/admin/token/lose': act(several(), 'changed active', { action: 'token/lost' }),
    '/admin/token/reset': act(several(), 'changed failCount', { isIdle: true }),
    '/admin/token/assign': act(one({ user: 'ann', realm: 'north' }, inRealm), 'changed owner, realms'),
    '/admin/token/unassign': act(several(assigned), 'changed owner'),
    '/admin/token/realms': act(one({ realms: 'north' }), 'changed realms', { action: 'token/tokenrealm' }),
    '/admin/token/remove': act(several(), 'removed'),
  };
}

/** @returns the acts that read the whole audit */
export function auditedAudit({ application }: Pick<Parts, 'application'>): Acts {
  return {
    '/admin/audit/export': act(() => ({}), 'handed out as jsonl', { action: 'audit/export', isIdle: true }),
    '/admin/audit/verify': act(
      async () => {
        // One at a time runs.
        const { auditVerification } = application().services;
        await until(async () => (await auditVerification.newest(OPERATOR)).verification?.state !== 'running');
        return {};
      },
      'begun',
      { isIdle: true },
    ),
  };
}

/** The password of the administrator, who has no second factor: enough to change credentials. */
const headers = { Authorization: basic('admin', PASSWORD) };

/** @returns the acts of the management of administrators and API tokens */
export function auditedAdministrators({ application, name, suite }: Parts): Acts {
  let enrolled: Promise<unknown> | undefined;
  const token = async (): Promise<string> => {
    await (enrolled ??= application().enrolPlain('FACTOR', suite));
    return 'FACTOR';
  };
  const about =
    (more: RequestValues = {}) =>
    async (): Promise<RequestValues> => {
      const administrator = name();
      await application().services.administrators.add(OPERATOR, administrator, PASSWORD);
      return { administrator, ...more };
    };
  const factor = { headers, action: 'administrator/second-factor' };
  return {
    '/admin/admin/add': act(() => ({ administrator: name(), password: PASSWORD }), 'created', {
      headers,
      action: 'administrator/add',
    }),
    '/admin/admin/remove': act(about(), 'removed', { headers, action: 'administrator/remove' }),
    '/admin/admin/password': act(about({ password: 'another password' }), 'password changed', {
      headers,
      action: 'administrator/password',
    }),
    '/admin/second-factor/set': act(
      async () => ({ ...(await about()()), serial: await token() }),
      'second factor: token FACTOR',
      factor,
    ),
    // There was none.
    '/admin/second-factor/remove': act(about(), 'second factor removed', { ...factor, isIdle: true }),
    '/admin/second-factor/passkey-link': act(about(), 'passkey link created', factor),
    '/admin/api-token/add': act(about({ name: 'probe', rights: 'monitoring:*', expires: '90D' }), 'created', {
      headers,
    }),
    '/admin/api-token/remove': act(
      async () => {
        const asked = await about({ name: 'probe' })();
        const draft = { name: 'probe', rights: ['monitoring:*'] };
        await application().services.administrators.addApiToken(OPERATOR, asked.administrator ?? '', draft);
        return asked;
      },
      'removed',
      { headers },
    ),
  };
}

/** @returns the acts on webhooks and managed users, and the trials of resolvers */
export function auditedInstallation(parts: Pick<Parts, 'application' | 'name'>): Acts {
  const trial = ['begun', 'done, 0 users'];
  return {
    '/admin/resolver/test': act(() => ({ name: parts.name(), kind: 'managed' }), trial, { isIdle: true }),
    '/admin/testresolver': act(() => ({ type: 'managed' }), trial, { action: 'resolver/test', isIdle: true }),
    ...userActs(parts),
    ...webhookActs(parts),
  };
}

function userActs({ application, name }: Pick<Parts, 'application' | 'name'>): Acts {
  const user = async (password?: string): Promise<RequestValues> => {
    const login = name();
    await application().services.users.add(OPERATOR, { resolver: 'north', login, password });
    return { resolver: 'north', login };
  };
  return {
    '/admin/user/add': act(() => ({ resolver: 'north', login: name() }), 'created'),
    '/admin/user/password': act(
      async () => ({ ...(await user()), password: 'a long one' }),
      'password changed',
    ),
    '/admin/user/remove-password': act(() => user('a long one'), 'password changed', {
      action: 'user/password',
    }),
    '/admin/user/remove': act(() => user(), 'removed, 0 tokens unassigned'),
  };
}

function webhookActs({ application, name: newName }: Pick<Parts, 'application' | 'name'>): Acts {
  const added = async (): Promise<RequestValues> => {
    const name = newName();
    // Nothing listens there.
    await application().services.webhooks.add(OPERATOR, { name, url: 'http://127.0.0.1:1/' });
    return { name };
  };
  return {
    '/admin/webhook/add': act(() => ({ name: newName(), url: 'https://siem.example.com/' }), 'created'),
    '/admin/webhook/rotate-secret': act(added, 'secret replaced'),
    '/admin/webhook/set': act(added, 'changed'),
    '/admin/webhook/enable': act(added, 'enabled'),
    '/admin/webhook/disable': act(added, 'disabled'),
    '/admin/webhook/test': act(added, 'failed', { isIdle: true }),
    '/admin/webhook/retry': act(added, 'retried, 0 deliveries', { isIdle: true }),
    '/admin/webhook/remove': act(added, 'removed, 0 deliveries'),
  };
}

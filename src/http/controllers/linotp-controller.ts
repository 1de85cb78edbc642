import { z } from 'zod';
import { describedActions } from '../../policy/policy-actions.ts';
import { POLICY_SCOPES } from '../../policy/stored-policy.ts';
import { describeTrial } from '../../resolvers/user-source.ts';
import { isSecretSetting, SETTINGS_RULES } from '../../resolvers/settings/settings-rules.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Services } from '../../services.ts';
import type { ResolvedUser } from '../../users/user-directory.ts';
import { count, done, type Shown } from '../answers.ts';
import type { Readiness } from './operations-controller.ts';
import { type Endpoint, openEndpoint, plainChange, valueChange, valueReading } from '../endpoint-spec.ts';
import {
  blankAsUndefined,
  invalidParameter,
  missingParameter,
  optional,
  required,
  secret,
} from '../request/parameters.ts';
import {
  providedSettings,
  REMOVE_PASSWORD,
  removalOf,
  RESOLVER_PARAMETERS,
  resolverKind,
} from './system/realm-controller.ts';

const OWNER = z.strictObject({
  username: z.string().optional(),
  userid: z.string().optional(),
  realm: z.string().optional(),
  resolver: z.string().optional(),
  givenname: z.string().optional(),
  surname: z.string().optional(),
  email: z.string().optional(),
  phone: z.string().optional(),
});

const SERIAL = required('the serial of the token', 'QR1');

/** @returns the further endpoints that clients of LinOTP call, in every dialect alike: no answer of theirs was recorded */
export function linotpEndpoints(
  {
    tokens,
    monitoring,
    otpSearch,
    resolverTrials,
  }: Pick<Services, 'tokens' | 'monitoring' | 'otpSearch' | 'resolverTrials'>,
  readiness: () => Promise<Readiness>,
): Endpoint[] {
  return [
    ownerEndpoint(tokens),
    serialEndpoint(tokens),
    serialOfOtpEndpoint(otpSearch),
    pinEndpoint(tokens),
    copyPinEndpoint(tokens),
    resolverEndpoint(resolverTrials),
    policyDefinitionEndpoint(),
    ...supportEndpoints(monitoring),
    ...stateEndpoints(readiness),
  ];
}

function ownerEndpoint(tokens: Services['tokens']): Endpoint {
  return valueReading(
    {
      path: '/admin/getTokenOwner',
      summary: 'the owner of a token, as the resolver has them; empty: nobody',
      usage: 'admin/getTokenOwner: the owner of a token, as the resolver has them; empty: nobody.',
      requires: 'admin:show',
      value: OWNER,
      parameters: { serial: SERIAL },
    },
    async ({ caller, parameters: { serial } }) => {
      const owner = await tokens.owner(caller, serial);
      return owner === undefined ? {} : shownOwner(owner);
    },
  );
}

function shownOwner({ resolver, realm, ...user }: ResolvedUser): Shown<typeof OWNER> {
  const { login, userId, givenName, surname, email, phone } = user;
  return {
    username: login,
    userid: userId,
    realm: realm.name,
    resolver: resolver.name,
    givenname: givenName,
    surname,
    email,
    phone,
  };
}

function serialEndpoint(tokens: Services['tokens']): Endpoint {
  return valueReading(
    {
      path: '/admin/check_serial',
      summary: 'whether a serial is free, and one that is',
      usage: 'admin/check_serial: whether a serial is free, and one that is.',
      requires: 'admin:init',
      value: z.strictObject({
        unique: z.boolean().describe('true: no token has it, in any case'),
        new_serial: z.string().describe('it, or a free one that begins with it'),
      }),
      parameters: { serial: SERIAL },
    },
    async ({ caller, parameters: { serial } }) => {
      const free = await tokens.freeSerial(caller, serial.trim());
      return { unique: free === serial.trim(), new_serial: free };
    },
  );
}

function serialOfOtpEndpoint(search: Services['otpSearch']): Endpoint {
  return valueReading(
    {
      path: '/admin/getSerialByOtp',
      summary: 'the token that a response of HOTP or TOTP is of, of at most 1 000 that are searched',
      usage: 'admin/getSerialByOtp: the token that a response of HOTP or TOTP is of.',
      requires: 'admin:getserial',
      value: z.strictObject({
        success: z.boolean().describe('true: one token has it in its window'),
        serial: z.string(),
        user_login: z.string(),
        user_resolver: z.string(),
      }),
      parameters: {
        otp: secret(required('the response, without its PIN', '755224')),
        type: optional('`hmac` or `totp`; default: both', 'totp'),
        realm: optional('the realm of the token', 'customers'),
        assigned: optional('`1`: only tokens with an owner; `0`: only those without', '1'),
      },
    },
    async ({ caller, parameters: { otp, type, realm, assigned } }) => {
      const found = await search.find(caller, {
        otp,
        type: blankAsUndefined(type),
        realm: blankAsUndefined(realm),
        assigned: readAssigned(blankAsUndefined(assigned)),
      });
      const { login = '', resolver = '' } = found?.owner ?? {};
      const success = found !== undefined;
      return { success, serial: found?.serial ?? '', user_login: login, user_resolver: resolver };
    },
  );
}

function readAssigned(text: string | undefined): boolean | undefined {
  if (text !== undefined && text !== '0' && text !== '1') {
    throw invalidParameter('assigned', "The parameter 'assigned' is 1 or 0");
  }
  return text === undefined ? undefined : text === '1';
}

function pinEndpoint(tokens: Services['tokens']): Endpoint {
  return valueChange(
    {
      path: '/admin/setPin',
      methods: ['GET', 'POST'],
      summary: 'sets the PIN of a suite with P',
      usage: 'admin/setPin: sets the PIN of a suite with P.',
      requires: 'admin:set',
      value: z.strictObject({ 'set userpin': count }),
      parameters: {
        serial: SERIAL,
        userpin: secret(required('the PIN of a suite with P')),
        sopin: secret(optional('refused: tokens here have none')),
      },
    },
    async ({ caller, parameters: { serial, userpin, sopin } }) => {
      if (sopin !== undefined && sopin !== '') {
        throw invalidParameter('sopin', "The parameter 'sopin' is not set: tokens here have none");
      }
      return { 'set userpin': await tokens.set(caller, { serial }, { ocraPin: userpin }) };
    },
  );
}

function copyPinEndpoint(tokens: Services['tokens']): Endpoint {
  return plainChange(
    {
      path: '/admin/copyTokenPin',
      methods: ['GET', 'POST'],
      summary: 'gives a token the token PIN of another one',
      usage: 'admin/copyTokenPin: gives a token the token PIN of another one.',
      requires: 'admin:copytokenpin',
      parameters: {
        from: required('the serial of the token that has the PIN', 'QR1'),
        to: required('the serial of the token that gets it', 'QR2'),
      },
    },
    async ({ caller, parameters }) => {
      await tokens.copyPin(caller, parameters);
    },
  );
}

function resolverEndpoint(trials: Services['resolverTrials']): Endpoint {
  return valueChange(
    {
      path: '/admin/testresolver',
      methods: ['GET', 'POST'],
      summary:
        'reads the users of a resolver as it would be with these settings, as /admin/resolver/test does',
      usage:
        'admin/testresolver: reads the users of a resolver as it would be with these settings, as /admin/resolver/test does.',
      requires: 'system:write',
      value: z.strictObject({
        result: z.boolean().describe('true: the users can be read'),
        desc: z.string().describe('how many there are, or why not'),
      }),
      example: { result: false, desc: 'the host name is unknown' },
      parameters: {
        type: optional(
          '`passwd`, `sql`, `ldap` or `managed`, also as `ldapresolver`; may be missing beside `ldap_…` or `sql_…`',
          'ldap',
        ),
        name: optional(
          'the resolver whose stored password is used where none is given; alone: the stored resolver as it is',
        ),
        previous_name: optional('the same, of one that is to be renamed'),
        ...RESOLVER_PARAMETERS,
        ...TRIAL_PARAMETERS,
        remove_password: REMOVE_PASSWORD,
      },
    },
    async ({ caller, parameters }) => {
      const trial = await trials.try(caller, triedResolver(parameters));
      return trial.isReadable
        ? { result: true, desc: describeTrial(trial) }
        : { result: false, desc: trial.reason };
    },
  );
}

/** Settings of resolvers by the names that they have in LinOTP's /admin/testresolver. */
const TRIAL_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['ldap_uri', 'ldapuri'],
  ['ldap_basedn', 'ldapbase'],
  ['ldap_binddn', 'binddn'],
  ['ldap_password', 'bindpw'],
  ['ldap_timeout', 'timeout'],
  ['ldap_sizelimit', 'sizelimit'],
  ['ldap_loginattr', 'loginnameattribute'],
  ['ldap_searchfilter', 'ldapsearchfilter'],
  ['ldap_userfilter', 'ldapfilter'],
  ['ldap_mapping', 'userinfo'],
  ['ldap_uidtype', 'uidtype'],
  ['ldap_certificate', 'cacertificate'],
  ['sql_mapping', 'map'],
  ...SETTINGS_RULES.sql.names.map((name) => [`sql_${name}`.toLowerCase(), name.toLowerCase()] as const),
]);

const TRIAL_PARAMETERS = Object.fromEntries(
  [...TRIAL_SETTINGS].map(([name, setting]) => {
    const schema = optional(`the same as \`${setting}\``);
    return [name, isSecretSetting(setting) ? secret(schema) : schema];
  }),
);

/** @throws ServiceError 'parameter.missing' without a type, unless a stored resolver is named alone */
function triedResolver({
  type,
  name: named,
  previous_name,
  remove_password,
  ...given
}: Readonly<Partial<Record<string, string>>>): Parameters<Services['resolverTrials']['try']>[1] {
  const name = blankAsUndefined(previous_name) ?? blankAsUndefined(named);
  const settings = Object.fromEntries(
    Object.entries(providedSettings(given)).map(([key, value]) => [TRIAL_SETTINGS.get(key) ?? key, value]),
  );
  const prefix = Object.keys(given).find((key) => TRIAL_SETTINGS.has(key));
  const kind = blankAsUndefined(type) ?? prefix?.replace(/_.*/, '');
  if (kind !== undefined) {
    return { name, kind: resolverKind(kind), settings, ...removalOf(remove_password) };
  }
  if (name === undefined || Object.keys(settings).length > 0) {
    throw missingParameter('type');
  }
  return { name };
}

const ACTIONS = z.record(
  z.string().describe('the action'),
  z.strictObject({ type: z.enum(['bool', 'str']), desc: z.string() }),
);

function policyDefinitionEndpoint(): Endpoint {
  return valueReading(
    {
      path: '/system/getPolicyDef',
      summary: 'the actions that policies may name, by scope',
      value: z.union([z.record(z.string().describe('the scope'), ACTIONS), ACTIONS.describe('with `scope`')]),
      parameters: { scope: optional('the only scope', 'admin') },
    },
    ({ parameters: { scope = '' } }) => {
      const scopes = POLICY_SCOPES;
      const named = scopes.find((one) => one === scope.trim());
      if (scope.trim() !== '' && named === undefined) {
        throw invalidParameter('scope', `The scope is one of ${scopes.join(', ')}`);
      }
      const actions = (one: (typeof scopes)[number]): Shown<typeof ACTIONS> =>
        Object.fromEntries(
          describedActions(one).map(({ name, meaning, value }) => [
            name,
            { type: value === undefined ? ('bool' as const) : ('str' as const), desc: meaning },
          ]),
        );
      return Promise.resolve(
        named === undefined ? Object.fromEntries(scopes.map((one) => [one, actions(one)])) : actions(named),
      );
    },
  );
}

function supportEndpoints(monitoring: Services['monitoring']): Endpoint[] {
  return [
    valueReading(
      {
        path: '/system/getSupportInfo',
        summary: 'the fields of the licence; empty: there is none',
        value: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
        parameters: {},
      },
      async () => {
        const report = await monitoring.support();
        return report.kind === 'none' ? {} : (report.licence?.fields ?? {});
      },
    ),
    valueReading(
      {
        path: '/system/isSupportValid',
        summary: 'whether there is a licence that counts',
        value: z.boolean(),
        parameters: {},
      },
      async () => (await monitoring.support()).kind === 'valid',
    ),
  ];
}

function stateEndpoints(readiness: () => Promise<Readiness>): Endpoint[] {
  const state = (path: `/${string}`, summary: string, stateNow: typeof readiness): Endpoint =>
    openEndpoint(
      {
        path,
        methods: ['GET'],
        summary,
        requires: 'nothing',
        changesState: false,
        answersAlways: true,
        parameters: z.object({}),
        answers: done(),
      },
      async ({ context, dialect }) => {
        const now = await stateNow().catch(() => 'unavailable' as const);
        if (now === 'unavailable') {
          throw new ServiceError('database.unavailable', 'The database does not serve requests');
        }
        if (now === 'stopping') {
          throw new ServiceError('server.busy', 'The server is about to stop', { retryAfter: 5 });
        }
        return dialect.administration.value(true, context);
      },
    );
  return [
    state('/maintenance/ok', 'liveness; does not use the database', () => Promise.resolve('ready')),
    state('/maintenance/check_status', 'readiness, as /readyz', readiness),
    state('/healthcheck/status', 'readiness, as /readyz', readiness),
  ];
}

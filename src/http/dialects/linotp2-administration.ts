import { canonicalKey } from '../../configuration/settings.ts';
import type { SettingsInForce } from '../../configuration/setting-service.ts';
import type { Policy } from '../../policy/stored-policy.ts';
import type { Realm, Resolver, ResolverKind } from '../../configuration/configuration.ts';
import type { TokenPage } from '../../tokens/token-selection.ts';
import type { ShownIn } from '../answers.ts';
import {
  LINOTP_TOKEN,
  type POLICIES,
  type REALMS,
  type REMOVED_POLICY,
  type RESOLVERS,
  type SHOWN_RESOLVER,
  type STORED_POLICY,
  type TOKEN_PAGE,
} from './administration-answers.ts';
import type { Dialect } from './dialect.ts';
import { linotpReply, linotpValue } from './linotp2-replies.ts';
import { inPython2Order, inPython2OrderOfCopy, inPython2OrderOfTable, pythonTime } from './python-text.ts';
import { type DescribedToken, TOTP_TIME_WINDOW } from '../../tokens/token.ts';
import { writeDayFirst } from '../../tokens/token-settings.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { parseAlgorithm, readOtpAlgorithm } from '../../ocra/otp.ts';
import { resolverClass, shownSettings } from '../../resolvers/settings/settings-rules.ts';

/** The time and client that LinOTP shows for a policy that does not restrict them. */
const ANY_TIME = '* * * * * *;';
const ANY_CLIENT = '*';
/** LinOTP's report of a stored policy: each of these fields was written. */
const STORED_FIELDS = {
  realm: true,
  active: true,
  client: true,
  user: true,
  time: true,
  action: true,
  scope: true,
} as const;
/** The size of LinOTP's dict of configuration values. A dict of this size has an order that fits the recorded one. */
const CONFIGURATION_TABLE = 256;
const RESOLVER_TYPES: Readonly<Record<ResolverKind, string>> = {
  managed: 'managedresolver',
  passwd: 'passwdresolver',
  sql: 'sqlresolver',
  ldap: 'ldapresolver',
};

/** @returns the outcomes of administration in the form of LinOTP 2.12.6 */
export function linotpAdministration(version: string): Dialect['administration'] {
  const reply = (value: unknown) => linotpValue(version, value);
  return {
    value: (content, _context, detail, further) =>
      linotpReply(version, { result: { status: true, value: content, ...further }, detail }),
    tokenPage: (page) => reply(tokenPage(page)),
    tokenTable: {
      separator: ';',
      columns: Object.keys(LINOTP_TOKEN.shape),
      rows: (page) => tokenPage(page).data,
    },
    setTokens: (names, count, _context, detail) =>
      linotpValue(version, inPython2Order(names.map((name) => [`set ${name}`, count] as const)), detail),
    policies: (policies) => reply(byName(policies, policyValue)),
    storedPolicy: ({ name }, _context, detail) => {
      const value: ShownIn<'linotp', typeof STORED_POLICY> = { [`setPolicy ${name}`]: STORED_FIELDS };
      return linotpValue(version, value, detail);
    },
    removedPolicy: (name) => reply(removedPolicy(name)),
    resolvers: (resolvers) => reply(byName(resolvers, resolverEntry)),
    resolver: (resolver) => reply(shownResolver(resolver)),
    realms: (realms, resolvers) => reply(byName(realms, (realm) => realmValue(realm, resolvers))),
    removedRealm: () => reply({ delRealm: { result: true } }),
    configuration: (settings) => reply(inPython2Order(flatConfiguration(settings))),
    configurationValue: (settings, key) => {
      const values = flatConfiguration(settings);
      return reply({ [`getConfig ${key}`]: values.get(canonicalKey(key, values.keys())) ?? null });
    },
    storedConfiguration: (entries, _context, detail) => {
      const inOrder = Object.entries(inPython2Order(entries));
      const done = inOrder.map(([key, value]) => [`setConfig ${key}:${value}`, true] as const);
      return linotpValue(version, inPython2Order(done), detail);
    },
    removedConfiguration: (key) => reply({ [`delConfig ${key}`]: true }),
  };
}

function byName<Thing extends { readonly name: string }, Value>(
  things: readonly Thing[],
  shape: (thing: Thing) => Value,
): Record<string, Value> {
  return inPython2Order(things.map((thing) => [thing.name, shape(thing)] as const));
}

function tokenPage({
  tokens,
  total,
  page,
  pageSize,
  resolverKinds,
}: TokenPage): ShownIn<'linotp', typeof TOKEN_PAGE> {
  const pages = Math.ceil(total / Math.max(pageSize, 1));
  return {
    resultset: { tokens: total, pages, pagesize: pageSize, page },
    data: tokens.map((token) => linotpToken(token, resolverKinds)),
  };
}

function policyValue(policy: Policy): ShownIn<'linotp', typeof POLICIES>[string] {
  return {
    realm: policy.realm,
    name: policy.name,
    action: policy.action,
    client: policy.client === '' ? ANY_CLIENT : policy.client,
    user: policy.user,
    time: policy.time === '' ? ANY_TIME : policy.time,
    active: policy.active ? 'True' : 'False',
    scope: policy.scope,
  };
}

/** @returns the keys of LinOTP's table of configuration values that the policy had */
export function removedPolicy(policy: string): ShownIn<'linotp', typeof REMOVED_POLICY> {
  const keys = Object.keys(STORED_FIELDS).map((field) => `linotp.Policy.${policy}.${field}`);
  const found = inPython2OrderOfTable(keys, CONFIGURATION_TABLE);
  return { delPolicy: { result: inPython2OrderOfCopy(found.map((key) => [key, true] as const)) } };
}

function shownResolver(resolver: Resolver): ShownIn<'linotp', typeof SHOWN_RESOLVER> {
  const { name, kind } = resolver;
  return { data: shownSettings(resolver), type: RESOLVER_TYPES[kind], resolver: name };
}

function resolverEntry({ name, kind }: Resolver): ShownIn<'linotp', typeof RESOLVERS>[string] {
  const type = RESOLVER_TYPES[kind];
  const entry = kind === 'passwd' ? `linotp.${type}.fileName.${name}` : `linotp.${type}.${name}`;
  return { entry, type, resolvername: name };
}

function realmValue(
  { name, isDefault, resolvers: names }: Realm,
  resolvers: readonly Resolver[],
): ShownIn<'linotp', typeof REALMS>[string] {
  return {
    ...(isDefault && { default: 'true' as const }),
    realmname: name,
    useridresolver: names.map((resolver) => classOf(resolver, resolvers)),
    entry: `linotp.useridresolver.group.${name}`,
  };
}

function classOf(name: string, resolvers: readonly Resolver[]): string {
  const resolver = resolvers.find((one) => one.name === name);
  return resolverClass(name, resolver?.kind ?? 'managed');
}

/** LinOTP keeps everything in one table of keys; its clients also read realms and resolvers there. */
function flatConfiguration({
  values,
  realms,
  resolvers,
  changedAt,
}: SettingsInForce): ReadonlyMap<string, string> {
  const entries: (readonly [string, string])[] = [...values, ['Config', pythonTime(changedAt)] as const];
  for (const { name, kind, settings } of resolvers) {
    for (const [setting, value] of Object.entries(settings)) {
      entries.push([`${RESOLVER_TYPES[kind]}.${setting}.${name}`, value]);
    }
  }
  for (const { name, isDefault, resolvers: names } of realms) {
    const classes = names.map((resolver) => classOf(resolver, resolvers));
    entries.push([`useridresolver.group.${name}`, classes.join(',')]);
    if (isDefault) {
      entries.push(['DefaultRealm', name]);
    }
  }
  return new Map(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** LinOTP's default, which its table contains for token types without digits of their own. */
const USUAL_DIGITS = 6;

/**
 * A token as LinOTP 2.12.6 lists it. `LinOtp.IdResolver` is the resolver in place of the path of a passwd file.
 * Resolvers are not queried for descriptions of users, so that a listing of tokens requires none of them.
 */
function linotpToken(
  token: DescribedToken,
  kinds: ReadonlyMap<string, ResolverKind>,
): ShownIn<'linotp', typeof TOKEN_PAGE>['data'][number] {
  const { owner } = token;
  const resolver =
    owner === null ? '' : resolverClass(owner.resolver, kinds.get(owner.resolver) ?? 'managed');
  return {
    'LinOtp.OtpLen': digitsOf(token.algorithm),
    'LinOtp.TokenType': ['hmac', 'totp'].includes(token.type) ? token.type.toUpperCase() : token.type,
    'LinOtp.TokenSerialnumber': token.serial,
    'LinOtp.CountWindow': token.counterWindow,
    'User.description': '',
    'LinOtp.IdResClass': resolver,
    'LinOtp.RealmNames': token.realms,
    'LinOtp.Count': countOf(token),
    'User.userid': owner?.userId ?? '',
    'LinOtp.TokenId': Number(token.id),
    'LinOtp.TokenInfo': tokenInfo(token),
    'LinOtp.FailCount': token.failCount,
    'LinOtp.MaxFail': token.maxFail,
    'User.username': owner?.login ?? '',
    'LinOtp.LastAuthSuccess': '',
    'LinOtp.SyncWindow': token.syncWindow,
    'LinOtp.LastAuthMatch': '',
    'LinOtp.TokenDesc': token.description,
    'LinOtp.IdResolver': resolver,
    'LinOtp.Userid': owner?.userId ?? '',
    'LinOtp.CreationDate': token.createdAt.toUTCString(),
    'LinOtp.Isactive': token.active,
  };
}

type InfoEntry = readonly [name: string, value: string | number | null];

/** @returns JSON as LinOTP 2.12.6 stores it, with the keys that are set */
function tokenInfo(token: DescribedToken): string {
  const { validFrom, validUntil, useCount, maxUses, successCount, maxSuccesses } = token.use;
  const entries: readonly InfoEntry[] = [
    ...algorithmInfo(token),
    ['count_auth', useCount || null],
    ['count_auth_max', maxUses],
    ['count_auth_success', successCount || null],
    ['count_auth_success_max', maxSuccesses],
    ['validity_period_start', validFrom && writeDayFirst(validFrom)],
    ['validity_period_end', validUntil && writeDayFirst(validUntil)],
  ];
  const present = Object.entries(inPython2Order(entries.filter(([, value]) => value !== null)));
  const lines = present.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return lines.length === 0 ? '' : `{\n${lines.join(', \n')}\n}`;
}

function algorithmInfo({ type, algorithm, timeShift, timeWindow }: DescribedToken): readonly InfoEntry[] {
  const otp = readOtpAlgorithm(algorithm);
  if (otp === undefined) {
    return type === 'pw' ? [] : [['ocrasuite', algorithm]];
  }
  const clock: readonly InfoEntry[] = [
    ['timeWindow', `${timeWindow ?? TOTP_TIME_WINDOW}`],
    ['timeShift', timeShift],
    ['timeStep', `${otp.timeStep ?? ''}`],
  ];
  return [['hashlib', otp.hash], ...(otp.timeStep === undefined ? [] : clock)];
}

/** LinOTP counts the steps of TOTP. */
function countOf({ counter, algorithm }: DescribedToken): number {
  const { timeStep = 1 } = readOtpAlgorithm(algorithm) ?? {};
  return Math.ceil(Number(counter) / timeStep);
}

function digitsOf(suite: string | null): number {
  if (suite === null) {
    return USUAL_DIGITS;
  }
  try {
    const { truncation } = parseAlgorithm(suite);
    return truncation === 0 ? USUAL_DIGITS : truncation;
  } catch (error) {
    if (error instanceof ServiceError) {
      return USUAL_DIGITS;
    }
    throw error;
  }
}

import type { Shown, ShownIn } from '../answers.ts';
import type { Validated } from '../../validation/validation-service.ts';
import { enrolmentDetail, picturedEnrolment } from './enrolment-detail.ts';
import type { CHECKED, STATE, TRIGGERED } from './ocra-answers.ts';
import type { Dialect } from './dialect.ts';
import { asciiJson, type EnvelopeResult, type Reply } from '../reply.ts';
import type { RequestContext } from '../request/exchange.ts';
import type { IssuedChallenge } from '../../challenges/challenge-factory.ts';
import type { CheckedTransaction, StatusEntry } from '../../challenges/challenge-service.ts';
import { pictureReply, qrImageTag } from '../qr-picture.ts';
import { failureForm } from '../failures.ts';
import { failureText } from './failure-text.ts';
import type { Realm, Resolver } from '../../configuration/configuration.ts';
import { canonicalKey } from '../../configuration/settings.ts';
import type { Policy } from '../../policy/stored-policy.ts';
import type { DescribedToken } from '../../tokens/token.ts';
import {
  type CONFIGURATION,
  type POLICIES,
  type REALMS,
  type SHOWN_RESOLVER,
  TOKEN,
  type TOKEN_PAGE,
} from './administration-answers.ts';
import { shownSettings } from '../../resolvers/settings/settings-rules.ts';
import { z } from 'zod';
import type {
  ActiveUserReport,
  ConfigurationReport,
  LicenceReport,
  StatusCount,
  TokenReport,
  UserReport,
} from '../../monitoring/reports.ts';
import {
  licenceSentence,
  shownActiveUsers,
  CONFIGURATION_NUMBERS,
  INVALID_LICENCE,
  licenceNumbers,
  TOKEN_NUMBERS,
  shownTokens,
  USER_NUMBERS,
  shownUserCounts,
} from './monitoring-objects.ts';

/** The default version in answers. */
const DOCUMENTED_VERSION = 'Tankeeper';

type Detail = Readonly<Record<string, unknown>>;

/**
 * @param text the value of the parameter `id`
 * @returns the id of the answer: the given one if it is a whole number that every JSON reader keeps exactly, else 1
 */
function envelopeId(text: string | undefined): number {
  const id = text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : 1;
}

/** The envelope of the published interface description: version, jsonrpc, result, id, and an optional detail. */
class DocumentedEnvelope {
  readonly #version: string;

  constructor(version: string) {
    this.#version = version;
  }

  /** @returns an answer with that result */
  reply(
    { parameters }: RequestContext,
    result: EnvelopeResult,
    { status = 200, detail }: { status?: number; detail?: Detail | undefined } = {},
  ): Reply {
    const envelope = {
      version: this.#version,
      jsonrpc: '2.0',
      result,
      id: envelopeId(parameters.get('id')),
      ...(detail !== undefined && { detail }),
    };
    return { status, contentType: 'application/json; charset=utf-8', body: asciiJson(envelope) };
  }

  /** @returns the answer to an operation that succeeded */
  value(context: RequestContext, value: unknown, detail?: Detail): Reply {
    return this.reply(context, { status: true, value }, { detail });
  }
}

/** The dialect of the published interface description. */
export function createDocumentedDialect(version = DOCUMENTED_VERSION): Dialect {
  const envelope = new DocumentedEnvelope(version);
  return {
    name: 'documented',
    routes: withFileNames,
    ocra: documentedOcra(envelope),
    validate: documentedValidate(envelope),
    enrolment: documentedEnrolment(envelope),
    login: documentedLogin(envelope),
    administration: documentedAdministration(envelope),
    monitoring: documentedMonitoring(envelope),
    failures: documentedFailures(envelope),
  };
}

/** The client names the file that it downloads. */
export function withFileNames(path: string): string[] {
  return path === '/system/getPolicy/policy.cfg' ? ['/system/getPolicy/:file'] : [path];
}

/** @returns the outcomes of /ocra as published */
function documentedOcra(envelope: DocumentedEnvelope): Dialect['ocra'] {
  return {
    activationCodeSource: (text) => text,
    issuedChallenge: (issued, context, picture) =>
      picture === undefined
        ? envelope.value(context, false, { transactionid: issued.transactionId, data: issued.url })
        : pictureReply(picture, issued.url, challengeFacts(issued)),
    checkedTransaction: (checked, context) => envelope.value(context, checkedValue(checked)),
    transactionStatus: (entries, context) => envelope.value(context, entries.map(statusValue)),
  };
}

function challengeFacts({ serial, data, transactionId }: IssuedChallenge): Record<string, string> {
  return { serial, data, transactionid: transactionId };
}

function checkedValue({ failCount, result, declined }: CheckedTransaction): Shown<typeof CHECKED> {
  return { failcount: failCount, result, ...(declined !== undefined && { declined }) };
}

function statusValue(entry: StatusEntry): Shown<typeof STATE> {
  return {
    serial: entry.serial,
    transactionid: entry.transactionId,
    received_tan: entry.receivedTan,
    valid_tan: entry.validTan,
    failcount: entry.failCount,
    ...(entry.declined !== undefined && { declined: entry.declined }),
  };
}

/** @returns the outcomes of /validate as published */
function documentedValidate(envelope: DocumentedEnvelope): Dialect['validate'] {
  return {
    validated: (validated, context, refusal, value = validated === true) =>
      envelope.value(context, value, triggeredDetail(validated) ?? refusal),
    validatedTransaction: ({ failCount, result }, context) =>
      envelope.value(context, { failcount: failCount, value: result }),
  };
}

function triggeredDetail(validated: Validated): Shown<typeof TRIGGERED> | undefined {
  if (typeof validated !== 'object') {
    return undefined;
  }
  const { transactionId, url, prompt, serial } = validated;
  return { transactionid: transactionId, data: url, message: prompt, serial };
}

/** @returns the outcomes of /admin/init and /admin/loadtokens as published */
function documentedEnrolment(envelope: DocumentedEnvelope): Dialect['enrolment'] {
  return {
    enrolled: (enrolled, context, picture) => {
      if (picture === undefined) {
        return envelope.value(context, true, enrolmentDetail(enrolled, ENROLMENT_FORM));
      }
      const { text, facts } = picturedEnrolment(enrolled);
      return pictureReply(picture, text, { serial: enrolled.serial, ...Object.fromEntries(facts) });
    },
  };
}

const ENROLMENT_FORM = {
  language: 'en',
  image: (text: string, width: number) => qrImageTag(text, { width }),
  noImage: () => '',
} as const;

const REFUSED = {
  code: failureForm('authentication.required').legacyCode,
  message: 'Wrong user name or password',
} as const;

/** @returns the outcomes of /admin/login and /admin/logout as published */
function documentedLogin(envelope: DocumentedEnvelope): Dialect['login'] {
  return {
    loggedIn: (_administrator, context) => envelope.value(context, true),
    loginRefused: (context) => envelope.reply(context, { status: false, error: REFUSED }, { status: 401 }),
    loggedOut: (_administrator, context) => envelope.value(context, true),
  };
}

/** @returns the answers to failed requests as published; the published interface is in English */
function documentedFailures(envelope: DocumentedEnvelope): Dialect['failures'] {
  return {
    errorCode: ({ form }) => form.legacyCode,
    failure: (failure, context) => {
      const error = {
        code: failure.form.legacyCode,
        message: failureText(failure, { usage: context.usage, language: 'en' }),
      };
      return envelope.reply(context, { status: false, error }, { status: failure.status });
    },
  };
}

type TokenValue = ShownIn<'documented', typeof TOKEN_PAGE>['tokens'][number];
type Configuration = ShownIn<'documented', typeof CONFIGURATION>;

/** @returns the outcomes of administration as published: records by their names; a change answers true or a number */
function documentedAdministration(envelope: DocumentedEnvelope): Dialect['administration'] {
  const done = (_changed: unknown, context: RequestContext) => envelope.value(context, true);
  return {
    value: (content, context, detail, further) =>
      envelope.reply(context, { status: true, value: content, ...further }, { detail }),
    tokenPage: ({ tokens, total, page, pageSize }, context) => {
      const value: ShownIn<'documented', typeof TOKEN_PAGE> = {
        total,
        page,
        pagesize: pageSize,
        tokens: tokens.map(tokenValue),
      };
      return envelope.value(context, value);
    },
    tokenTable: {
      separator: ',',
      columns: Object.keys(TOKEN.shape),
      rows: ({ tokens }) => tokens.map(tokenValue),
    },
    setTokens: (_names, count, context, detail) => envelope.value(context, count, detail),
    policies: (policies, context) => envelope.value(context, byName(policies, policyValue)),
    storedPolicy: (_policy, context, detail) => envelope.value(context, true, detail),
    removedPolicy: done,
    resolvers: (resolvers, context) => envelope.value(context, byName(resolvers, resolverValue)),
    resolver: (resolver, context) => envelope.value(context, resolverValue(resolver)),
    realms: (realms, _resolvers, context) => envelope.value(context, byName(realms, realmValue)),
    removedRealm: done,
    configuration: ({ values }, context) => {
      const value: Configuration = Object.fromEntries(sortByKey(values));
      return envelope.value(context, value);
    },
    configurationValue: ({ values }, key, context) => {
      const value: Configuration = values.get(canonicalKey(key, values.keys())) ?? null;
      return envelope.value(context, value);
    },
    storedConfiguration: (_entries, context, detail) => envelope.value(context, true, detail),
    removedConfiguration: done,
  };
}

function byName<Thing extends { readonly name: string }, Value>(
  things: readonly Thing[],
  shape: (thing: Thing) => Value,
): Record<string, Value> {
  return Object.fromEntries(things.map((thing) => [thing.name, shape(thing)]));
}

function tokenValue(token: DescribedToken): TokenValue {
  const { owner, use } = token;
  return {
    serial: token.serial,
    type: token.type,
    description: token.description,
    user: owner?.login ?? null,
    resolver: owner?.resolver ?? null,
    realms: token.realms,
    active: token.active,
    failcount: token.failCount,
    maxfail: token.maxFail,
    // As a text: the counter has 64 bits, a JSON number 53.
    counter: String(token.counter),
    counterwindow: token.counterWindow,
    syncwindow: token.syncWindow,
    ocrasuite: token.algorithm,
    rollout: token.rollout,
    haspin: token.hasPin,
    validfrom: timeValue(use.validFrom),
    validuntil: timeValue(use.validUntil),
    usecount: use.useCount,
    maxuses: use.maxUses,
    successcount: use.successCount,
    maxsuccesses: use.maxSuccesses,
    created: token.createdAt.toISOString(),
    lastsuccess: timeValue(token.lastSuccessAt),
  };
}

function timeValue(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

function policyValue({
  name,
  scope,
  action,
  realm,
  user,
  client,
  time,
  active,
}: Policy): ShownIn<'documented', typeof POLICIES>[string] {
  return { name, scope, action, realm, user, client, time, active };
}

function resolverValue(resolver: Resolver): ShownIn<'documented', typeof SHOWN_RESOLVER> {
  return { name: resolver.name, type: resolver.kind, ...shownSettings(resolver) };
}

function realmValue({ name, isDefault, resolvers }: Realm): ShownIn<'documented', typeof REALMS>[string] {
  return { name, default: isDefault, resolvers };
}

function sortByKey(values: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...values].sort(([left], [right]) => (left < right ? -1 : 1));
}

const field = z.union([z.string(), z.number(), z.boolean()]);

/** The value of /monitoring/config. */
export const DOCUMENTED_CONFIGURATION = z.strictObject({
  sync: z.enum(['True', 'False']).describe('`True`: this server uses the stored configuration'),
  synctime: z.iso.datetime().describe('the time at which this server read the configuration'),
  changed: z.iso.datetime().describe('the time of the last change'),
  now: z.iso.datetime(),
  ...CONFIGURATION_NUMBERS,
  managedresolver: z.int().nonnegative(),
});

/** The value of /monitoring/license. */
export const DOCUMENTED_LICENCE = z.union([
  z.strictObject({ support: z.literal('community support') }).describe('no licence'),
  INVALID_LICENCE,
  z.object(USER_NUMBERS).catchall(field).describe('a licence by users: its fields, and its use'),
  z.object(TOKEN_NUMBERS).catchall(field).describe('a licence by tokens: its fields, and its use'),
]);

type TableRow = readonly (string | number)[];

/** Tables contain their facts twice: as the published rows, and as the objects that clients of LinOTP read. */
interface TableResult {
  readonly head: readonly [];
  readonly data: readonly TableRow[];
  readonly value: Readonly<Record<string, unknown>>;
}

/** @returns the outcomes of /monitoring as published */
function documentedMonitoring(envelope: DocumentedEnvelope): Dialect['monitoring'] {
  const reply = (context: RequestContext, result: Readonly<Record<string, unknown>> | TableResult): Reply =>
    envelope.reply(context, { status: true, ...result });
  return {
    tokenReport: (report, context) => reply(context, tokenResult(report)),
    userReport: (report, context) => reply(context, userResult(report)),
    activeUserReport: (report, context) => reply(context, activeUserResult(report)),
    configurationReport: (report, context) => reply(context, { head: [], value: configurationValue(report) }),
    licenceReport: (report, context) => envelope.value(context, licenceValue(report)),
    storageEncryption: (encrypted, context) => envelope.value(context, encrypted),
  };
}

function tokenResult(report: TokenReport): TableResult {
  return {
    head: [],
    data: [
      ...report.realms.flatMap(({ realm, counts }) => statusRows(realm, counts)),
      ...statusRows('Summary', report.summary),
    ],
    value: shownTokens(report),
  };
}

function userResult(report: UserReport): TableResult {
  return { head: [], data: userRows(report), value: shownUserCounts(report) };
}

function activeUserResult(report: ActiveUserReport): TableResult {
  return {
    head: [],
    data: [...userRows(report), ['Total', '', report.total]],
    value: shownActiveUsers(report),
  };
}

function configurationValue(report: ConfigurationReport): z.input<typeof DOCUMENTED_CONFIGURATION> {
  const { managed, passwd, sql, ldap } = report.resolvers;
  return {
    sync: report.sync ? 'True' : 'False',
    synctime: report.readAt.toISOString(),
    changed: report.changedAt.toISOString(),
    now: report.now.toISOString(),
    total: report.total,
    managedresolver: managed,
    passwdresolver: passwd,
    sqlresolver: sql,
    ldapresolver: ldap,
    policies: report.policies,
    realms: report.realms,
  };
}

/** @returns all fields of a valid licence, and its use */
function licenceValue(report: LicenceReport): z.input<typeof DOCUMENTED_LICENCE> {
  switch (report.kind) {
    case 'none':
      return { support: 'community support' };
    case 'valid':
      return { ...report.licence.fields, ...licenceNumbers(report) };
    case 'invalid':
      return { valid: false, message: licenceSentence(report, 'en') };
  }
}

function statusRows(realm: string, counts: readonly StatusCount[]): TableRow[] {
  return counts.map(({ status, count }) => [realm, status, count]);
}

function userRows({ realms }: Pick<UserReport, 'realms'>): TableRow[] {
  return realms.flatMap(({ realm, resolvers }) =>
    resolvers.map(({ resolver, users }) => [realm, resolver, users]),
  );
}

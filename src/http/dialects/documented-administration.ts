import { canonicalKey } from '../../configuration/setting.ts';
import type { Policy } from '../../policy/stored-policy.ts';
import type { Realm, Resolver } from '../../configuration/configuration.ts';
import type { DescribedToken } from '../../tokens/token-view.ts';
import type { AdministrationShapes } from './shared/administration-shapes.ts';
import type { AdministrationDialect } from './dialect.ts';
import { shownSettings } from './linotp2-administration.ts';
import type { DocumentedEnvelope } from './documented.ts';

/** Records by their names; a change answers true or the number of changed records. */
const SHAPES: AdministrationShapes = {
  tokenPage: ({ tokens, total, page, pageSize }) => ({
    total,
    page,
    pagesize: pageSize,
    tokens: tokens.map(tokenValue),
  }),
  setTokens: (_names, count) => count,
  policies: (policies) => byName(policies, policyValue),
  storedPolicy: () => true,
  removedPolicy: () => true,
  resolvers: (resolvers) => byName(resolvers, resolverValue),
  resolver: resolverValue,
  realms: (realms) => byName(realms, realmValue),
  removedRealm: () => true,
  configuration: ({ values }) => Object.fromEntries(sortByKey(values)),
  configurationValue: ({ values }, key) => values.get(canonicalKey(key, values.keys())) ?? null,
  storedConfiguration: () => true,
  removedConfiguration: () => true,
};

/** @returns the outcomes of administration as published */
export function documentedAdministration(envelope: DocumentedEnvelope): AdministrationDialect {
  return {
    shapes: SHAPES,
    value: (content, context, detail) => envelope.value(context, content, detail),
    done: (context) => envelope.value(context, true),
  };
}

function byName<Thing extends { readonly name: string }>(
  things: readonly Thing[],
  shape: (thing: Thing) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(things.map((thing) => [thing.name, shape(thing)]));
}

function tokenValue(token: DescribedToken): Record<string, unknown> {
  return {
    serial: token.serial,
    type: token.type,
    description: token.description,
    user: token.owner?.login ?? null,
    resolver: token.owner?.resolver ?? null,
    realms: token.realms,
    active: token.active,
    failcount: token.failCount,
    maxfail: token.maxFail,
    // As a text: the counter has 64 bits, a JSON number 53.
    counter: String(token.counter),
    counterwindow: token.counterWindow,
    syncwindow: token.syncWindow,
    ocrasuite: token.ocraSuite,
    rollout: token.rollout,
    haspin: token.hasPin,
    created: token.createdAt.toISOString(),
    lastsuccess: token.lastSuccessAt?.toISOString() ?? null,
  };
}

function policyValue({ name, scope, action, realm, user, client, time, active }: Policy): Policy {
  return { name, scope, action, realm, user, client, time, active };
}

function resolverValue(resolver: Resolver): Record<string, unknown> {
  return { name: resolver.name, type: resolver.kind, ...shownSettings(resolver) };
}

function realmValue({ name, isDefault, resolvers }: Realm): Record<string, unknown> {
  return { name, default: isDefault, resolvers };
}

function sortByKey(values: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...values].sort(([left], [right]) => (left < right ? -1 : 1));
}

import type { Realm, Resolver } from '../../configuration/configuration.ts';
import { canonicalKey } from '../../configuration/settings.ts';
import type { Policy } from '../../policy/stored-policy.ts';
import type { DescribedToken, TokenUse } from '../../tokens/token.ts';
import type { ShownIn } from '../answers.ts';
import type { CONFIGURATION } from '../controllers/system/configuration-controller.ts';
import type { POLICIES } from '../controllers/system/policy-controller.ts';
import type { REALMS, SHOWN_RESOLVER } from '../controllers/system/realm-controller.ts';
import type { TOKEN_PAGE } from '../controllers/tokens/token-list-controller.ts';
import type { RequestContext } from '../request/exchange.ts';
import type { AdministrationDialect } from './dialect.ts';
import type { DocumentedEnvelope } from './documented.ts';
import { shownSettings } from './linotp2-administration.ts';

type TokenValue = ShownIn<'documented', typeof TOKEN_PAGE>['tokens'][number];
type Configuration = ShownIn<'documented', typeof CONFIGURATION>;

/** @returns the outcomes of administration as published: records by their names; a change answers true or a number */
export function documentedAdministration(envelope: DocumentedEnvelope): AdministrationDialect {
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
    tokenRows: ({ tokens }) => tokens.map(tokenValue),
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
    ...useValue(token.use),
    created: token.createdAt.toISOString(),
    lastsuccess: token.lastSuccessAt?.toISOString() ?? null,
  };
}

function useValue(
  use: TokenUse,
): Pick<TokenValue, 'validfrom' | 'validuntil' | 'usecount' | 'maxuses' | 'successcount' | 'maxsuccesses'> {
  return {
    validfrom: use.validFrom?.toISOString() ?? null,
    validuntil: use.validUntil?.toISOString() ?? null,
    usecount: use.useCount,
    maxuses: use.maxUses,
    successcount: use.successCount,
    maxsuccesses: use.maxSuccesses,
  };
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

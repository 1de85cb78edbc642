import { z } from 'zod';
import type { Caller } from '../../policy/caller.ts';
import { SETTINGS_RULES } from '../../resolvers/settings/settings-rules.ts';
import { splitList } from '../../policy/policy-users.ts';
import type { RealmService } from '../../realms/realm-service.ts';
import type { ResolverService } from '../../resolvers/resolver-service.ts';
import type { Realm } from '../../configuration/configuration.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { type AdministratorCall, administratorEndpoint, type Endpoint } from '../endpoint.ts';
import type { Reply } from '../reply.ts';

/** What the administration of realms and resolvers needs of the domain. */
export interface RealmOperations {
  readonly realms: Pick<RealmService, 'list' | 'set' | 'remove' | 'setDefault'>;
  readonly resolvers: Pick<ResolverService, 'list' | 'show' | 'set' | 'remove'>;
}

const text = z.string();
const optional = text.optional();
/** The settings of all kinds of resolvers: which of them belong together, the service knows. */
const RESOLVER_PARAMETERS: Readonly<Record<string, typeof optional>> = Object.fromEntries(
  Object.values(SETTINGS_RULES).flatMap(({ names }) => names.map((name) => [name.toLowerCase(), optional])),
);

/** @returns the endpoints of /system that list and change realms and the resolvers that feed them */
export function realmEndpoints(operations: RealmOperations, dialect: Dialect): Endpoint[] {
  return [
    ...resolverParts(operations, dialect),
    ...realmParts(operations, dialect),
    ...defaultParts(operations, dialect),
  ];
}

function resolverParts({ resolvers }: RealmOperations, dialect: Dialect): Endpoint[] {
  const { administration } = dialect;
  return [
    change(
      '/system/setResolver',
      'create or change a resolver.',
      { name: text, type: text, ...RESOLVER_PARAMETERS },
      async ({ caller, parameters: { name, type, ...settings }, context }) => {
        await resolvers.set(caller, { name, kind: resolverKind(type), settings: givenOf(settings) });
        return dialect.done(context);
      },
    ),
    look('/system/getResolvers', 'list resolvers.', {}, async ({ caller, context }) =>
      dialect.administered(administration.resolvers(await resolvers.list(caller)), context),
    ),
    look(
      '/system/getResolver',
      'show a resolver.',
      { resolver: text },
      async ({ caller, parameters: { resolver }, context }) =>
        dialect.administered(administration.resolver(await resolvers.show(caller, resolver)), context),
    ),
    change(
      '/system/delResolver',
      'remove a resolver.',
      { resolver: text },
      async ({ caller, parameters: { resolver }, context }) => {
        await resolvers.remove(caller, resolver);
        return dialect.done(context);
      },
    ),
  ];
}

function realmParts(operations: RealmOperations, dialect: Dialect): Endpoint[] {
  return [
    change(
      '/system/setRealm',
      'create a realm or replace its resolvers.',
      { realm: text, resolvers: text },
      async ({ caller, parameters: { realm, resolvers }, context }) => {
        await operations.realms.set(caller, { name: realm, resolvers: splitList(resolvers) });
        return dialect.done(context);
      },
    ),
    look(
      '/system/getRealms',
      'list realms.',
      { realm: optional },
      async ({ caller, parameters: { realm = '' }, context }) => {
        const wanted = realm.trim().toLowerCase();
        const shape = await shapeRealms(
          operations,
          dialect,
          caller,
          ({ name }) => wanted === '' || name === wanted,
        );
        return dialect.administered(shape, context);
      },
    ),
    change(
      '/system/delRealm',
      'remove a realm.',
      { realm: text },
      async ({ caller, parameters: { realm }, context }) => {
        await operations.realms.remove(caller, realm);
        return dialect.administered(dialect.administration.removedRealm(realm), context);
      },
    ),
  ];
}

function defaultParts(operations: RealmOperations, dialect: Dialect): Endpoint[] {
  return [
    change(
      '/system/setDefaultRealm',
      'choose the default realm, or none.',
      { realm: optional },
      async ({ caller, parameters: { realm = '' }, context }) => {
        await operations.realms.setDefault(caller, realm.trim() === '' ? null : realm);
        return dialect.done(context);
      },
    ),
    look('/system/getDefaultRealm', 'show the default realm.', {}, async ({ caller, context }) =>
      dialect.administered(
        await shapeRealms(operations, dialect, caller, ({ isDefault }) => isDefault),
        context,
      ),
    ),
  ];
}

async function shapeRealms(
  { realms, resolvers }: RealmOperations,
  dialect: Dialect,
  caller: Caller,
  isMeant: (realm: Realm) => boolean,
): Promise<unknown> {
  const found = (await realms.list(caller)).filter(isMeant);
  return dialect.administration.realms(found, await resolvers.list(caller));
}

function givenOf(settings: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** LinOTP's names of resolver types end so: `passwdresolver`. */
function resolverKind(type: string): string {
  return type
    .trim()
    .toLowerCase()
    .replace(/resolver$/, '');
}

type Answer<Shape extends z.ZodRawShape> = (
  call: AdministratorCall<z.output<z.ZodObject<Shape>>>,
) => Promise<Reply>;

function look<Shape extends z.ZodRawShape>(
  path: `/system/${string}`,
  purpose: string,
  shape: Shape,
  answer: Answer<Shape>,
): Endpoint {
  return administratorEndpoint(spec(path, purpose, shape, false), answer);
}

function change<Shape extends z.ZodRawShape>(
  path: `/system/${string}`,
  purpose: string,
  shape: Shape,
  answer: Answer<Shape>,
): Endpoint {
  return administratorEndpoint(spec(path, purpose, shape, true), answer);
}

function spec<Shape extends z.ZodRawShape>(
  path: `/system/${string}`,
  purpose: string,
  shape: Shape,
  changesState: boolean,
) {
  return {
    path,
    methods: ['GET', 'POST'] as const,
    usage: `${path.slice(1)}: ${purpose}`,
    changesState,
    parameters: z.object(shape),
  };
}

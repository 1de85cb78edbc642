import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { Caller } from '../../../policy/caller.ts';
import { splitList } from '../../../policy/policy-users.ts';
import type { Realm } from '../../../configuration/configuration.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { EXPECTED, readExpected } from '../../request/expected-state.ts';
import { optional, required } from '../../request/parameter-schemas.ts';
import { done } from '../../answers.ts';
import { REALMS, REMOVED_REALM, RESOLVERS, SHOWN_RESOLVER } from '../answers/system-answers.ts';
import {
  providedSettings,
  removalOf,
  REMOVE_PASSWORD,
  RESOLVER,
  RESOLVER_PARAMETERS,
  resolverKind,
} from './resolver-parameters.ts';
import { systemChange, systemReading } from './system-endpoint.ts';

const REALM = required('the name of the realm', 'customers');

const SET_REALM = {
  realm: REALM,
  resolvers: required('a comma list of resolvers', 'directory'),
  expected: EXPECTED.describe(
    'the resolvers that are replaced, as a JSON list of names; `null`: there is no such realm. Others are kept',
  ),
};

const EXPECTED_SETTINGS = z.record(z.string(), z.string()).nullable();
const EXPECTED_RESOLVERS = z.array(z.string()).nullable();

/** @returns the endpoints of /system that list and change realms and their resolvers */
export function realmEndpoints(
  operations: Pick<Services, 'realms' | 'resolvers'>,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [
    setResolver(operations, dialect),
    ...resolverParts(operations, dialect),
    ...realmParts(operations, dialect),
    ...defaultParts(operations, dialect),
  ];
}

function setResolver(
  { resolvers }: Pick<Services, 'realms' | 'resolvers'>,
  dialect: AdministrationDialect,
): Endpoint {
  return systemChange(
    {
      path: '/system/setResolver',
      answers: done(),
      summary: 'creates or changes a resolver',
      purpose: 'create or change a resolver.',
      methods: ['GET', 'POST'],
      parameters: {
        name: RESOLVER,
        type: required('`passwd`, `sql`, `ldap` or `managed`, also as `passwdresolver`', 'ldap'),
        ...RESOLVER_PARAMETERS,
        remove_password: REMOVE_PASSWORD,
        expected: EXPECTED.describe(
          'the settings that are replaced, as a JSON object of texts without the password; `null`: there is no such resolver. Others are kept',
        ),
      },
    },
    async ({
      caller,
      parameters: { name, type, expected, remove_password: removed, ...settings },
      context,
    }) => {
      await resolvers.set(caller, {
        name,
        kind: resolverKind(type),
        settings: providedSettings(settings),
        ...removalOf(removed),
        ...expectedOf(readExpected(expected, EXPECTED_SETTINGS)),
      });
      return dialect.done(context);
    },
  );
}

function resolverParts(
  { resolvers }: Pick<Services, 'realms' | 'resolvers'>,
  dialect: AdministrationDialect,
): Endpoint[] {
  const { shapes } = dialect;
  return [
    systemReading(
      {
        path: '/system/getResolvers',
        answers: RESOLVERS,
        summary: 'lists resolvers',
        purpose: 'list resolvers.',
        parameters: {},
      },
      async ({ caller, context }) => dialect.value(shapes.resolvers(await resolvers.list(caller)), context),
    ),
    systemReading(
      {
        path: '/system/getResolver',
        answers: SHOWN_RESOLVER,
        summary: 'shows a resolver',
        purpose: 'show a resolver.',
        parameters: { resolver: RESOLVER },
      },
      async ({ caller, parameters: { resolver }, context }) =>
        dialect.value(shapes.resolver(await resolvers.show(caller, resolver)), context),
    ),
    systemChange(
      {
        path: '/system/delResolver',
        answers: done(),
        summary: 'removes a resolver',
        purpose: 'remove a resolver.',
        methods: ['GET', 'POST'],
        parameters: { resolver: RESOLVER },
      },
      async ({ caller, parameters: { resolver }, context }) => {
        await resolvers.remove(caller, resolver);
        return dialect.done(context);
      },
    ),
  ];
}

function realmParts(
  operations: Pick<Services, 'realms' | 'resolvers'>,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [
    systemChange(
      {
        path: '/system/setRealm',
        answers: done(),
        summary: 'creates a realm or replaces its resolvers',
        purpose: 'create a realm or replace its resolvers.',
        methods: ['GET', 'POST'],
        parameters: SET_REALM,
      },
      async ({ caller, parameters: { realm, resolvers, expected }, context }) => {
        await operations.realms.set(caller, {
          name: realm,
          resolvers: splitList(resolvers),
          ...expectedOf(readExpected(expected, EXPECTED_RESOLVERS)),
        });
        return dialect.done(context);
      },
    ),
    systemReading(
      {
        path: '/system/getRealms',
        answers: REALMS,
        summary: 'lists realms',
        purpose: 'list realms.',
        parameters: { realm: optional('lists the realm of this name') },
      },
      async ({ caller, parameters: { realm = '' }, context }) => {
        const requested = realm.trim().toLowerCase();
        const shape = await shapeRealms(
          operations,
          dialect,
          caller,
          ({ name }) => requested === '' || name === requested,
        );
        return dialect.value(shape, context);
      },
    ),
    systemChange(
      {
        path: '/system/delRealm',
        answers: REMOVED_REALM,
        summary: 'removes a realm',
        purpose: 'remove a realm.',
        methods: ['GET', 'POST'],
        parameters: { realm: REALM },
      },
      async ({ caller, parameters: { realm }, context }) => {
        await operations.realms.remove(caller, realm);
        return dialect.value(dialect.shapes.removedRealm(realm), context);
      },
    ),
  ];
}

function defaultParts(
  operations: Pick<Services, 'realms' | 'resolvers'>,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [
    systemChange(
      {
        path: '/system/setDefaultRealm',
        answers: done(),
        summary: 'sets the default realm, or none',
        purpose: 'choose the default realm, or none.',
        methods: ['GET', 'POST'],
        parameters: { realm: optional('the name of the realm; empty: none') },
      },
      async ({ caller, parameters: { realm = '' }, context }) => {
        await operations.realms.setDefault(caller, realm.trim() === '' ? null : realm);
        return dialect.done(context);
      },
    ),
    systemReading(
      {
        path: '/system/getDefaultRealm',
        answers: REALMS,
        summary: 'shows the default realm',
        purpose: 'show the default realm.',
        parameters: {},
      },
      async ({ caller, context }) =>
        dialect.value(await shapeRealms(operations, dialect, caller, ({ isDefault }) => isDefault), context),
    ),
  ];
}

async function shapeRealms(
  { realms, resolvers }: Pick<Services, 'realms' | 'resolvers'>,
  dialect: AdministrationDialect,
  caller: Caller,
  isMeant: (realm: Realm) => boolean,
): Promise<unknown> {
  const found = (await realms.list(caller)).filter(isMeant);
  return dialect.shapes.realms(found, await resolvers.list(caller));
}

function expectedOf<State>(expected: State | undefined): { readonly expected?: State } {
  return expected === undefined ? {} : { expected };
}

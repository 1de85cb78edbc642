import type { Services } from '../../../services.ts';
import { type Endpoint, plainChange, systemChange, systemReading } from '../../endpoint-spec.ts';
import { optional, required, secret } from '../../request/parameters.ts';
import { valuesOf } from '../../answers.ts';
import { REALMS, REMOVED_REALM, RESOLVERS, SHOWN_RESOLVER } from '../../dialects/administration-answers.ts';
import { splitList } from '../../../kernel/text.ts';
import { isSecretSetting, SETTINGS_RULES } from '../../../resolvers/settings/settings-rules.ts';

const REALM = required('the name of the realm', 'customers');

const SET_REALM = {
  realm: REALM,
  resolvers: required('a comma list of resolvers', 'directory'),
};

const RESOLVER = required('the name of the resolver', 'directory');

/** The settings of all kinds of resolvers; the service knows which of them belong together. */
export const RESOLVER_PARAMETERS = Object.fromEntries(
  Object.values(SETTINGS_RULES).flatMap(({ names }) =>
    names.map((name) => {
      const schema = optional('a setting, see the guide to resolvers');
      return [name.toLowerCase(), isSecretSetting(name) ? secret(schema) : schema] as const;
    }),
  ),
);

/** The password is removed by a parameter of its own: clients send an empty one for that which they were not shown. */
export const REMOVE_PASSWORD = optional('`1`: removes the stored password', '1');

/** @returns the secret of the draft: null removes the stored one */
export function removalOf(removePassword: string | undefined): { readonly secret?: null } {
  return removePassword === '1' ? { secret: null } : {};
}

/** @returns the settings that have a value */
export function providedSettings(
  settings: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Removes the suffix of LinOTP's names of resolver types: `passwdresolver`. */
export function resolverKind(type: string): string {
  return type
    .trim()
    .toLowerCase()
    .replace(/resolver$/, '');
}

export function realmEndpoints(operations: Pick<Services, 'realms' | 'resolvers'>): Endpoint[] {
  return [
    setResolver(operations),
    ...resolverParts(operations),
    ...realmParts(operations),
    ...defaultParts(operations),
  ];
}

function setResolver({ resolvers }: Pick<Services, 'realms' | 'resolvers'>): Endpoint {
  return plainChange(
    {
      path: '/system/setResolver',
      summary: 'creates or changes a resolver',
      usage: 'system/setResolver: create or change a resolver.',
      methods: ['GET', 'POST'],
      parameters: {
        name: RESOLVER,
        previous_name: optional('the name that it has, to rename it: tokens, realms and policies follow'),
        type: required('`passwd`, `sql`, `ldap` or `managed`, also as `passwdresolver`', 'ldap'),
        ...RESOLVER_PARAMETERS,
        remove_password: REMOVE_PASSWORD,
      },
    },
    async ({ caller, parameters }) => {
      const { name, previous_name, type, remove_password: removed, ...settings } = parameters;
      await resolvers.set(caller, {
        name,
        previousName: previous_name,
        kind: resolverKind(type),
        settings: providedSettings(settings),
        ...removalOf(removed),
      });
    },
  );
}

function resolverParts({ resolvers }: Pick<Services, 'realms' | 'resolvers'>): Endpoint[] {
  return [
    systemReading(
      {
        path: '/system/getResolvers',
        answers: valuesOf(RESOLVERS),
        summary: 'lists resolvers',
        parameters: {},
      },
      async ({ context, dialect }) => dialect.administration.resolvers(await resolvers.list(), context),
    ),
    systemReading(
      {
        path: '/system/getResolver',
        answers: valuesOf(SHOWN_RESOLVER),
        summary: 'shows a resolver',
        usage: 'system/getResolver: show a resolver.',
        parameters: { resolver: RESOLVER },
      },
      async ({ parameters: { resolver }, context, dialect }) =>
        dialect.administration.resolver(await resolvers.show(resolver), context),
    ),
    plainChange(
      {
        path: '/system/delResolver',
        summary: 'removes a resolver',
        usage: 'system/delResolver: remove a resolver.',
        methods: ['GET', 'POST'],
        parameters: { resolver: RESOLVER },
      },
      async ({ caller, parameters: { resolver } }) => {
        await resolvers.remove(caller, resolver);
      },
    ),
  ];
}

function realmParts({ realms, resolvers }: Pick<Services, 'realms' | 'resolvers'>): Endpoint[] {
  return [
    plainChange(
      {
        path: '/system/setRealm',
        summary: 'creates a realm or replaces its resolvers',
        usage: 'system/setRealm: create a realm or replace its resolvers.',
        methods: ['GET', 'POST'],
        parameters: SET_REALM,
      },
      async ({ caller, parameters: { realm, resolvers } }) => {
        await realms.set(caller, { name: realm, resolvers: splitList(resolvers) });
      },
    ),
    systemReading(
      {
        path: '/system/getRealms',
        answers: valuesOf(REALMS),
        summary: 'lists realms',
        parameters: { realm: optional('lists the realm of this name') },
      },
      async ({ parameters: { realm = '' }, context, dialect }) => {
        const requested = realm.trim().toLowerCase();
        const found = (await realms.list()).filter(({ name }) => requested === '' || name === requested);
        return dialect.administration.realms(found, await resolvers.list(), context);
      },
    ),
    systemChange(
      {
        path: '/system/delRealm',
        answers: valuesOf(REMOVED_REALM),
        summary: 'removes a realm',
        usage: 'system/delRealm: remove a realm.',
        parameters: { realm: REALM },
      },
      async ({ caller, parameters: { realm }, context, dialect }) => {
        await realms.remove(caller, realm);
        return dialect.administration.removedRealm(realm, context);
      },
    ),
  ];
}

function defaultParts({ realms, resolvers }: Pick<Services, 'realms' | 'resolvers'>): Endpoint[] {
  return [
    plainChange(
      {
        path: '/system/setDefaultRealm',
        summary: 'sets the default realm, or none',
        methods: ['GET', 'POST'],
        parameters: { realm: optional('the name of the realm; empty: none') },
      },
      async ({ caller, parameters: { realm = '' } }) => {
        await realms.setDefault(caller, realm.trim() === '' ? null : realm);
      },
    ),
    systemReading(
      {
        path: '/system/getDefaultRealm',
        answers: valuesOf(REALMS),
        summary: 'shows the default realm',
        parameters: {},
      },
      async ({ context, dialect }) => {
        const found = (await realms.list()).filter(({ isDefault }) => isDefault);
        return dialect.administration.realms(found, await resolvers.list(), context);
      },
    ),
  ];
}

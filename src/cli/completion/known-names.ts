import type { Caller } from '../../policy/caller.ts';
import type { Services } from '../../services.ts';
import type { NameKind } from './completed-word.ts';

/** The most names that are offered. */
const MAX_NAMES = 200;

type Lookup = (services: Services, caller: Caller, prefix: string) => Promise<readonly string[]>;

const LOOKUPS: Readonly<Record<NameKind, Lookup>> = {
  serials: async ({ tokens }, caller, serialPrefix) =>
    (await tokens.list(caller, { serialPrefix, limit: MAX_NAMES })).map(({ serial }) => serial),
  realms: async ({ realms }) => (await realms.list()).map(({ name }) => name),
  resolvers: async ({ resolvers }) => (await resolvers.list()).map(({ name }) => name),
  policies: async ({ policies }) => (await policies.list()).map(({ name }) => name),
  administrators: async ({ administrators }) => (await administrators.list()).map(({ name }) => name),
  settings: async ({ settings }) => [...(await settings.overview()).values.keys()],
  users: async ({ realms, users }, caller) => {
    const home = (await realms.list()).find(({ isDefault }) => isDefault);
    return home === undefined
      ? []
      : (await users.list(caller, { realm: home.name, resolver: undefined })).map(({ login }) => login);
  },
};

/** @returns names that begin with that prefix, a limited number; of users, those of the default realm */
export async function knownNames(
  kind: NameKind,
  prefix: string,
  services: Services,
  caller: Caller,
): Promise<readonly string[]> {
  const names = await LOOKUPS[kind](services, caller, prefix);
  return names.filter((name) => name.startsWith(prefix)).slice(0, MAX_NAMES);
}

import type { Services } from '../../../services.ts';
import type { Consequence } from '../../../consequences/consequence.ts';
import type { ConsequenceService } from '../../../consequences/consequence-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { Caller } from '../../../policy/caller.ts';
import { splitList } from '../../../policy/policy-users.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { optional, required } from '../../request/parameter-schemas.ts';
import { CONSEQUENCES } from '../answers/resolver-answers.ts';
import { systemReading } from './system-endpoint.ts';

/** @returns the endpoints that tell what would follow, and change nothing */
export function realmConsequenceEndpoints(
  { consequences }: Pick<Services, 'consequences'>,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [
    systemReading(
      {
        path: '/system/realmConsequences',
        summary: 'the consequences of removing or changing a realm, or of making it the default one',
        answers: CONSEQUENCES,
        parameters: {
          act: required('`remove`, `set` or `default`', 'remove'),
          realm: optional('the name of the realm; empty with `default`: no default realm', 'customers'),
          resolvers: optional('with `set`: the new resolvers, a comma list', 'directory'),
        },
      },
      async ({ caller, parameters, context }) =>
        dialect.value(await ofRealm(consequences, caller, parameters), context),
    ),
    systemReading(
      {
        path: '/system/resolverConsequences',
        summary: 'the consequences of removing a resolver',
        answers: CONSEQUENCES,
        parameters: { resolver: required('the name of the resolver', 'directory') },
      },
      async ({ caller, parameters: { resolver }, context }) =>
        dialect.value(await consequences.ofResolverRemoval(caller, resolver), context),
    ),
    systemReading(
      {
        path: '/system/userConsequences',
        summary: 'the consequences of removing a user of a managed resolver, or of removing the password',
        answers: CONSEQUENCES,
        parameters: {
          resolver: required('a managed resolver', 'staff'),
          username: required('the login', 'anna'),
          password_only: optional('`1`: of removing the password alone', '1'),
        },
      },
      async ({ caller, parameters: { resolver, username, password_only: only }, context }) => {
        const name = { resolver, login: username };
        const foretold =
          only === '1'
            ? await consequences.ofPasswordRemoval(caller, name)
            : await consequences.ofUserRemoval(caller, name);
        return dialect.value(foretold, context);
      },
    ),
  ];
}

interface RealmAct {
  readonly act: string;
  readonly realm?: string | undefined;
  readonly resolvers?: string | undefined;
}

async function ofRealm(
  consequences: ConsequenceService,
  caller: Caller,
  { act, realm = '', resolvers = '' }: RealmAct,
): Promise<readonly Consequence[]> {
  switch (act) {
    case 'remove':
      return consequences.ofRealmRemoval(caller, realm);
    case 'set':
      return consequences.ofRealmChange(caller, { name: realm, resolvers: splitList(resolvers) });
    case 'default':
      return consequences.ofDefaultRealm(caller, realm.trim() === '' ? null : realm);
    default:
      // With the right first, as everywhere.
      await consequences.ofDefaultRealm(caller, null);
      throw new ServiceError('parameter.invalid', "The act is 'remove', 'set' or 'default'", {
        parameter: 'act',
      });
  }
}

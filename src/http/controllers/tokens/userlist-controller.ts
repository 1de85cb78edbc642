import { z } from 'zod';
import type { Services } from '../../../services.ts';
import { plainResolverName } from '../../../policy/policy-users.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameter-schemas.ts';
import { USERS } from '../answers/user-answers.ts';
import { emptyAsUndefined } from '../../request/parameters.ts';

const PATTERN = 'must equal it but for case; `*` stands for any text';

/** @returns the endpoint that lists users */
export function userListEndpoint(
  { users }: Pick<Services, 'users'>,
  dialect: AdministrationDialect,
): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/userlist',
      methods: ['GET', 'POST'],
      summary: 'lists the users of a realm or of a resolver, 10 000 at most',
      requires: 'admin:userlist',
      answers: USERS,
      family: 'linotp2',
      usage: 'admin/userlist: list users.',
      changesState: false,
      parameters: z.object({
        realm: optional('a realm; default: the default realm, or all that have the resolver'),
        resconf: optional('the only resolver to ask'),
        username: optional(`the login ${PATTERN}`),
        userid: optional(`the id ${PATTERN}`),
        givenname: optional(`the given name ${PATTERN}`),
        surname: optional(`the surname ${PATTERN}`),
        email: optional(`the e-mail address ${PATTERN}`),
        phone: optional(`the phone number ${PATTERN}`),
      }),
    },
    async ({ caller, parameters, context }) => {
      const { realm, resconf, username, userid, givenname, surname, email, phone } = parameters;
      const found = await users.find(caller, {
        realm: emptyAsUndefined(realm),
        resolver: resconf === undefined ? undefined : emptyAsUndefined(plainResolverName(resconf)),
        matching: {
          login: emptyAsUndefined(username),
          userId: emptyAsUndefined(userid),
          givenName: emptyAsUndefined(givenname),
          surname: emptyAsUndefined(surname),
          email: emptyAsUndefined(email),
          phone: emptyAsUndefined(phone),
        },
      });
      return dialect.value(dialect.shapes.users(found), context);
    },
  );
}

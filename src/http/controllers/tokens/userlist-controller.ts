import { z } from 'zod';
import type { Services } from '../../../services.ts';
import { type CutList, describeCut, type FoundUser } from '../../../users/user-service.ts';
import { plainResolverName } from '../../../policy/policy-users.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { resolverClass } from '../../dialects/shared/resolver-class.ts';
import { inEveryDialect, valueOf } from '../../answers.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameter-schemas.ts';
import { emptyAsUndefined } from '../../request/parameters.ts';
import type { Shown } from '../../value-endpoint.ts';

const PATTERN = 'must equal it but for case; `*` stands for any text';

const USER = z.strictObject({
  username: z.string(),
  userid: z.string(),
  givenname: z.string(),
  surname: z.string(),
  email: z.string(),
  phone: z.string(),
  mobile: z.string().describe('empty: resolvers here have one phone number'),
  description: z.string().describe('empty'),
  useridresolver: z.string().describe('the class and the name of the resolver, as LinOTP writes them'),
});

const CUT = z
  .strictObject({ message: z.string() })
  .optional()
  .describe('present where the list ends at the SIZELIMIT of a resolver');

/** @returns the endpoint that lists users */
export function userListEndpoint(
  { users }: Pick<Services, 'users'>,
  dialect: AdministrationDialect,
): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/userlist',
      summary: 'lists the users of a realm or of a resolver, 10 000 at most',
      requires: 'admin:userlist',
      methods: ['GET', 'POST'],
      changesState: false,
      answers: inEveryDialect(valueOf(z.array(USER), { detail: CUT })),
      usage: 'admin/userlist: list users.',
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
      const filter = {
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
      };
      const cuts: CutList[] = [];
      const found = await users.find(caller, filter, (cut) => cuts.push(cut));
      const message = cuts.map(describeCut).join('; ');
      return dialect.value(found.map(shownUser), context, cuts.length === 0 ? undefined : { message });
    },
  );
}

/** In LinOTP's documented form: there is no recording of it. Resolvers here have one phone number, and no descriptions. */
function shownUser(user: FoundUser): Shown<typeof USER> {
  return {
    username: user.login,
    userid: user.userId,
    givenname: user.givenName,
    surname: user.surname,
    email: user.email,
    phone: user.phone,
    mobile: '',
    description: '',
    useridresolver: resolverClass(user.resolver, user.kind),
  };
}

import { z } from 'zod';
import type { Services } from '../../../services.ts';
import { type FoundUser, type UserService, type CutList, describeCut } from '../../../users/user-service.ts';
import type { Shown } from '../../answers.ts';
import {
  type Endpoint,
  plainChange,
  valueChange,
  answerWithCookie,
  administratorEndpoint,
} from '../../endpoint-spec.ts';
import { emptyAsUndefined, optional, required, secret } from '../../request/parameters.ts';
import { plainResolverName } from '../../../policy/policy-users.ts';
import { resolverClass } from '../../dialects/linotp2-administration.ts';

const NAMED = {
  resolver: required('a managed resolver', 'staff'),
  username: required('the login', 'anna'),
};
const PASSWORD = 'a password of 8 characters or more';

/** @returns the endpoints that change the users of managed resolvers */
export function managedUserEndpoints({ users }: Pick<Services, 'users'>): Endpoint[] {
  return [
    addEndpoint(users),
    plainChange(
      {
        path: '/system/users/password',
        summary: 'sets the password of a user of a managed resolver, or removes it',
        parameters: {
          ...NAMED,
          password: secret(optional(PASSWORD)),
          remove: optional('`1`, in place of `password`: no password matches then', '1'),
        },
      },
      async ({ caller, parameters: { resolver, username, password, remove } }) => {
        // An empty one is refused as too short.
        const requested = remove === '1' ? null : (password ?? '');
        await users.setPassword(caller, { resolver, login: username, password: requested });
      },
    ),
    plainChange(
      {
        path: '/system/users/remove',
        summary: 'removes a user of a managed resolver; the tokens become unassigned',
        parameters: NAMED,
      },
      ({ caller, parameters: { resolver, username } }) => users.remove(caller, { resolver, login: username }),
    ),
  ];
}

function addEndpoint(users: UserService): Endpoint {
  return valueChange(
    {
      path: '/system/users/add',
      summary: 'adds a user to a managed resolver; the id of the user',
      value: z.strictObject({ userid: z.string() }),
      parameters: {
        ...NAMED,
        givenname: optional('the given name', 'Anna'),
        surname: optional('the surname', 'Berg'),
        email: optional('the e-mail address', 'anna@example.com'),
        phone: optional('the phone number', '+49 30 1'),
        password: secret(optional(`${PASSWORD}; default: none matches`)),
      },
    },
    async ({ caller, parameters }) => {
      const { resolver, username, givenname, surname, email, phone, password = '' } = parameters;
      const added = await users.add(caller, {
        resolver,
        login: username,
        givenName: givenname,
        surname,
        email,
        phone,
        ...(password !== '' && { password }),
      });
      return { userid: added.userId };
    },
  );
}

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
export function userListEndpoint({ users }: Pick<Services, 'users'>): Endpoint {
  const { answers, reply } = answerWithCookie(z.array(USER), { detail: CUT });
  return administratorEndpoint(
    {
      path: '/admin/userlist',
      methods: ['GET', 'POST'],
      changesState: false,
      summary: 'lists the users of a realm or of a resolver, 10 000 at most',
      requires: 'admin:userlist',
      answers,
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
    async (call) => {
      const { caller, parameters } = call;
      const { realm, resconf, username, userid, givenname, surname, email, phone } = parameters;
      const cuts: CutList[] = [];
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
      const found = await users.find(caller, filter, (cut) => cuts.push(cut));
      const beside = cuts.length === 0 ? {} : { detail: { message: cuts.map(describeCut).join('; ') } };
      return reply(found.map(shownUser), call, beside);
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

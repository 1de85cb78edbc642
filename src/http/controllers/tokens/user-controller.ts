import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { UserService } from '../../../users/user-service.ts';
import { done, inEveryDialect, valueOf } from '../../answers.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { optional, required, secret } from '../../request/parameter-schemas.ts';
import { systemChange } from '../system/system-endpoint.ts';

const NAMED = {
  resolver: required('a managed resolver', 'staff'),
  username: required('the login', 'anna'),
};
const PASSWORD = 'a password of 8 characters or more';

/** @returns the endpoints that change the users of managed resolvers */
export function managedUserEndpoints(
  { users }: Pick<Services, 'users'>,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [
    addEndpoint(users, dialect),
    systemChange(
      {
        path: '/system/users/password',
        summary: 'sets the password of a user of a managed resolver, or removes it',
        answers: done(),
        parameters: {
          ...NAMED,
          password: secret(optional(PASSWORD)),
          remove: optional('`1`, in place of `password`: no password matches then', '1'),
        },
      },
      async ({ caller, parameters: { resolver, username, password, remove }, context }) => {
        // An empty one is refused as too short.
        const requested = remove === '1' ? null : (password ?? '');
        await users.setPassword(caller, { resolver, login: username, password: requested });
        return dialect.done(context);
      },
    ),
    systemChange(
      {
        path: '/system/users/remove',
        summary: 'removes a user of a managed resolver; the tokens become unassigned',
        answers: done(),
        parameters: NAMED,
      },
      async ({ caller, parameters: { resolver, username }, context }) => {
        await users.remove(caller, { resolver, login: username });
        return dialect.done(context);
      },
    ),
  ];
}

function addEndpoint(users: UserService, dialect: AdministrationDialect): Endpoint {
  return systemChange(
    {
      path: '/system/users/add',
      summary: 'adds a user to a managed resolver; the id of the user',
      answers: inEveryDialect(valueOf(z.strictObject({ userid: z.string() }))),
      parameters: {
        ...NAMED,
        givenname: optional('the given name', 'Anna'),
        surname: optional('the surname', 'Berg'),
        email: optional('the e-mail address', 'anna@example.com'),
        phone: optional('the phone number', '+49 30 1'),
        password: secret(optional(`${PASSWORD}; default: none matches`)),
      },
    },
    async ({ caller, parameters, context }) => {
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
      return dialect.value({ userid: added.userId }, context);
    },
  );
}

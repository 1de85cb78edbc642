import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { UserService } from '../../../users/user-service.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { optional, required, secret } from '../../request/parameter-schemas.ts';
import { plainChange, valueChange } from '../../value-endpoint.ts';

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
    plainChange(
      dialect,
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
      dialect,
      {
        path: '/system/users/remove',
        summary: 'removes a user of a managed resolver; the tokens become unassigned',
        parameters: NAMED,
      },
      ({ caller, parameters: { resolver, username } }) => users.remove(caller, { resolver, login: username }),
    ),
  ];
}

function addEndpoint(users: UserService, dialect: AdministrationDialect): Endpoint {
  return valueChange(
    dialect,
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

import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { FoundUser } from '../../../users/user-service.ts';
import { count, inEveryDialect, type Shown } from '../../answers.ts';
import { type Endpoint, administratorEndpoint } from '../../endpoint-spec.ts';
import { blankAsUndefined, optional } from '../../request/parameters.ts';
import { plainResolverName } from '../../../policy/policy-conditions.ts';
import { wholeWithin } from '../../../tokens/token.ts';
import { readNumber } from './token-controller.ts';
import { resolverClass } from '../../../resolvers/settings/settings-rules.ts';

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

export function userListEndpoint({ users }: Pick<Services, 'users'>): Endpoint {
  const answers = inEveryDialect({
    envelope: {
      result: { value: z.array(USER), queried: count.describe('the number of users in this answer') },
    },
  });
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
        search: optional('a text in login, names, e-mail address or phone number; `*` stands for any text'),
        page: optional('the number of the page, from 1; one beyond the end is empty', '1'),
        rp: optional(`the number of users on a page; with \`page\` alone ${USUAL_PAGE}`, '50'),
      }),
    },
    async ({ caller, parameters, context, dialect }) => {
      const page = readUserPage(parameters);
      const { realm, resconf, username, userid, givenname, surname, email, phone, search } = parameters;
      const filter = {
        realm: emptyAsUndefined(realm),
        resolver: resconf === undefined ? undefined : emptyAsUndefined(plainResolverName(resconf)),
        search: emptyAsUndefined(search),
        matching: {
          login: emptyAsUndefined(username),
          userId: emptyAsUndefined(userid),
          givenName: emptyAsUndefined(givenname),
          surname: emptyAsUndefined(surname),
          email: emptyAsUndefined(email),
          phone: emptyAsUndefined(phone),
        },
      };
      const found = await users.find(caller, filter);
      const shown = pageOf(found, page).map(shownUser);
      return dialect.administration.value(shown, context, undefined, { queried: shown.length });
    },
  );
}

/** The number of users on a page where the client names none, as in LinOTP. */
const USUAL_PAGE = 16;

interface UserPage {
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

/**
 * Some clients count pages from 0: their first page is the first one, too, so that none of them misses it.
 * @returns undefined where no page is requested
 * @throws ServiceError 'parameter.invalid'
 */
function readUserPage({
  page,
  rp,
}: Readonly<Partial<Record<'page' | 'rp', string | undefined>>>): UserPage | undefined {
  const [number, size] = [readNumber(blankAsUndefined(page)), readNumber(blankAsUndefined(rp))];
  if (number === undefined && size === undefined) {
    return undefined;
  }
  return {
    page: number === 0 ? 1 : wholeWithin(number ?? 1, 'page', 1_000_000),
    size: wholeWithin(size ?? USUAL_PAGE, "page size, 'rp',", 10_000),
  };
}

/** Sorts the users, as sources may list them in another order each time. */
function pageOf(found: readonly FoundUser[], page: UserPage | undefined): readonly FoundUser[] {
  if (page === undefined) {
    return found;
  }
  const key = ({ login, resolver, userId }: FoundUser): string => [login, resolver, userId].join('\0');
  const sorted = found.map((user) => [key(user), user] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  const start = (page.page - 1) * page.size;
  return sorted.slice(start, start + page.size).map(([, user]) => user);
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

/** @returns undefined for an empty value */
function emptyAsUndefined(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

import { base32nopad } from '@scure/base';
import { questionOf } from '../../../support/values/asked-question.ts';
import { Browser, valueOf } from '../../../support/application/browser.ts';
import { OPERATOR, type TestApplication } from '../../../support/application/test-application.ts';
import { totpAt } from '../../../support/values/authenticator-app.ts';
import { type Act, act, type ActRequest, free, type RequestValues } from './audited-act.ts';
import { headersOf, PASSWORD } from './audited-sign-ins.ts';

interface SelfServiceParts {
  readonly application: () => TestApplication;
  /** @returns a name that nobody has */
  readonly name: () => string;
  readonly suite: string;
}

/** A user of the realm north, with a token. */
interface OwnUser {
  readonly browser: Browser;
  readonly login: string;
  readonly serial: string;
}

/** @returns the acts of users at the account page, and on their sessions */
export function auditedSelfService(parts: SelfServiceParts): Readonly<Record<string, Act>> {
  const changed = (prepare: (user: OwnUser) => Promise<RequestValues> | RequestValues) => async () => {
    const user = await signedIn(parts);
    return requestOf(user, await prepare(user), csrfOf(await user.browser.get('/self/tokens')));
  };
  /** Confirms the enrolment of another token by the response of the first. */
  const confirmed = async (user: OwnUser, type: RequestValues = {}): Promise<void> => {
    await repeatCookie(user);
    await answer(parts, await user.browser.post('/self/enrol', type), 1n);
  };
  const enrolled = async (user: OwnUser, type: RequestValues = {}): Promise<Answer> => {
    await confirmed(user, type);
    await repeatCookie(user);
    return user.browser.post('/self/enrol/finish', type);
  };
  const signIn = async (): Promise<ActRequest> => {
    const user = await ownUser(parts);
    return requestOf(user, credentialsOf(user));
  };
  const answeredSignIn = async (): Promise<ActRequest> => {
    const user = await ownUser(parts);
    await answer(parts, await user.browser.post('/self/sign-in', credentialsOf(user)));
    return requestOf(user, {});
  };
  const begun = async (user: OwnUser): Promise<RequestValues> => {
    await enrolled(user);
    return {};
  };
  const toProve = async (user: OwnUser): Promise<RequestValues> => {
    const made = valueOf(await enrolled(user, { type: 'totp' })) as { serial: string; key_uri: string };
    const key = base32nopad.decode(new URL(made.key_uri).searchParams.get('secret') ?? '');
    return { serial: made.serial, response: totpAt(parts.application().clock.now(), key) };
  };
  return {
    '/self/sign-in': free(signIn, ['issued', 'second factor requested'], ['ocra/request', 'self/sign-in']),
    '/self/sign-in/finish': free(answeredSignIn, 'session opened'),
    '/self/sign-out': free(
      changed(() => ({})),
      'session closed',
    ),
    '/self/rename': free(
      changed(({ serial }) => ({ serial, description: 'a phone' })),
      'changed description',
      'token/set',
    ),
    '/admin/helpdesk/end-sessions': act(
      async () => ({ user: (await signedIn(parts)).login, realm: 'north' }),
      'session closed',
      { action: 'user/session' },
    ),
    '/self/lock': free(
      changed(({ serial }) => ({ serial })),
      'changed active',
      'token/lost',
    ),
    '/self/enrol': free(
      changed(() => ({})),
      'issued',
      'ocra/request',
    ),
    '/self/enrol/finish': free(
      changed(async (user) => {
        await confirmed(user);
        return {};
      }),
      ['confirmed', 'created', 'issued'],
      ['self/enrol/finish', 'admin/init', 'admin/init'],
    ),
    '/self/enrol/prove': free(changed(toProve), 'accepted'),
    '/self/enrol/cancel': free(changed(begun), 'removed', 'token/remove'),
  };
}

/** Lets the browser send the value that its page shows. */
async function repeatCookie({ browser }: OwnUser): Promise<void> {
  browser.cookies.set('csrf_access_token', csrfOf(await browser.get('/self/tokens')));
}

function requestOf({ browser, login }: OwnUser, values: RequestValues, csrf = ''): ActRequest {
  return {
    values,
    headers: { ...headersOf(browser), 'X-CSRF-TOKEN': csrf },
    actor: `user:${login}@north`,
  };
}

const credentialsOf = ({ login }: OwnUser): RequestValues => ({
  user: login,
  realm: 'north',
  password: PASSWORD,
});

async function ownUser({ application, name, suite }: SelfServiceParts): Promise<OwnUser> {
  const { services } = application();
  const login = name();
  const serial = `${login}-phone`;
  await application().addUser(login, 'north', PASSWORD);
  await application().enrolPlain(serial, suite, { user: login, realm: 'north' });
  for (const [scope, action] of [
    ['selfservice', 'show, rename, lock, enrol, enroltotp'],
    ['authentication', 'qrtanurl=https://tan.example.com/ocra/check_t'],
  ] as const) {
    await services.policies.set(OPERATOR, { name: `own-${scope}`, scope, action, realm: 'north' });
  }
  return { browser: new Browser(application().app), login, serial };
}

async function signedIn(parts: SelfServiceParts): Promise<OwnUser> {
  const user = await ownUser(parts);
  await answer(parts, await user.browser.post('/self/sign-in', credentialsOf(user)));
  await user.browser.post('/self/sign-in/finish');
  return user;
}

type Answer = Parameters<typeof valueOf>[0];

function csrfOf(answered: Answer): string {
  return (valueOf(answered) as { csrf_token: string }).csrf_token;
}

/** Answers a challenge as the app does. */
async function answer({ application, suite }: SelfServiceParts, asked: Answer, counter = 0n): Promise<void> {
  const { transactionid, data } = valueOf(asked) as { transactionid: string; data: string };
  const question = questionOf(data);
  await application().check(transactionid, application().respond(suite, question, { counter }));
}

import { base32nopad } from '@scure/base';
import { parseQrTanUrl } from '../../../../src/ocra/qrtan-url.ts';
import { Browser, valueOf } from '../../../support/application/browser.ts';
import { OPERATOR, type TestApplication } from '../../../support/application/test-application.ts';
import { totpAt } from '../../../support/values/authenticator-app.ts';
import type { Act, ActRequest, RequestValues } from './audited-act.ts';
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
  const changed = (prepare: (user: OwnUser) => Promise<RequestValues> | RequestValues) => ({
    prepare: async () => {
      const user = await signedIn(parts);
      return requestOf(user, await prepare(user), csrfOf(await user.browser.get('/self/tokens')));
    },
    isFree: true as const,
  });
  return {
    '/self/sign-in': {
      prepare: async () => {
        const user = await ownUser(parts);
        return requestOf(user, credentialsOf(user));
      },
      outcomes: ['issued', 'second factor requested'],
      action: ['ocra/request', 'self/sign-in'],
      isFree: true,
    },
    '/self/sign-in/finish': {
      prepare: async () => {
        const user = await ownUser(parts);
        await answer(parts, await user.browser.post('/self/sign-in', credentialsOf(user)));
        return requestOf(user, {});
      },
      outcomes: ['session opened'],
      isFree: true,
    },
    '/self/sign-out': { ...changed(() => ({})), outcomes: ['session closed'] },
    '/self/rename': {
      ...changed(({ serial }) => ({ serial, description: 'a phone' })),
      outcomes: ['changed description'],
      action: 'token/set',
    },
    '/admin/helpdesk/end-sessions': {
      prepare: async () => ({ values: { user: (await signedIn(parts)).login, realm: 'north' } }),
      outcomes: ['session closed'],
      action: 'user/session',
    },
    '/self/lock': {
      ...changed(({ serial }) => ({ serial })),
      outcomes: ['changed active'],
      action: 'token/lost',
    },
    '/self/enrol': { ...changed(() => ({})), outcomes: ['issued'], action: 'ocra/request' },
    '/self/enrol/finish': {
      ...changed(async ({ browser }) => {
        browser.cookies.set('csrf_access_token', csrfOf(await browser.get('/self/tokens')));
        await answer(parts, await browser.post('/self/enrol'), 1n);
        return {};
      }),
      outcomes: ['confirmed', 'created', 'issued'],
      action: ['self/enrol/finish', 'admin/init', 'admin/init'],
    },
    '/self/enrol/prove': {
      ...changed(async ({ browser }) => {
        browser.cookies.set('csrf_access_token', csrfOf(await browser.get('/self/tokens')));
        await answer(parts, await browser.post('/self/enrol', { type: 'totp' }), 1n);
        browser.cookies.set('csrf_access_token', csrfOf(await browser.get('/self/tokens')));
        const enrolled = valueOf(await browser.post('/self/enrol/finish', { type: 'totp' }));
        const { serial, key_uri: uri } = enrolled as { serial: string; key_uri: string };
        const key = base32nopad.decode(new URL(uri).searchParams.get('secret') ?? '');
        return { serial, response: totpAt(parts.application().clock.now(), key) };
      }),
      outcomes: ['accepted'],
    },
    '/self/enrol/cancel': {
      ...changed(async ({ browser }) => {
        browser.cookies.set('csrf_access_token', csrfOf(await browser.get('/self/tokens')));
        await answer(parts, await browser.post('/self/enrol'), 1n);
        browser.cookies.set('csrf_access_token', csrfOf(await browser.get('/self/tokens')));
        await browser.post('/self/enrol/finish');
        return {};
      }),
      outcomes: ['removed'],
      action: 'token/remove',
    },
  };
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
  const url = parseQrTanUrl(data);
  const question = url.kind === 'req' ? url.question : '';
  await application().check(transactionid, application().respond(suite, question, { counter }));
}

import type { Response } from 'supertest';
import { questionOf } from '../../../support/values/asked-question.ts';
import { Browser, valueOf } from '../../../support/application/browser.ts';
import { SoftwareAuthenticator } from '../../../support/application/software-authenticator.ts';
import { OPERATOR, type TestApplication } from '../../../support/application/test-application.ts';
import { type Act, act, type ActRequest, free, type RequestValues } from './audited-act.ts';

/** The address of the server, to which passkeys are bound. */
export const ORIGIN = 'https://tan.example.com';
/** Of every administrator. */
export const PASSWORD = 'correct horse';

interface SignInParts {
  readonly application: () => TestApplication;
  /** @returns a name that no administrator has */
  readonly name: () => string;
  /** Enrols a token. @returns its serial */
  readonly token: () => Promise<string>;
  readonly suite: string;
}

/** @returns the acts of sign-ins, passkeys and sessions */
export function auditedSignIns(parts: SignInParts): Readonly<Record<string, Act>> {
  const own = async (owner: ReturnType<typeof signedIn>, values: RequestValues): Promise<ActRequest> => {
    const { name, browser } = await owner;
    return { values, headers: headersOf(browser), actor: name };
  };
  const passkeyLink = async (): Promise<ActRequest> => {
    const { name } = await signedIn(parts);
    const { link } = await parts.application().services.passkeys.makeLink(OPERATOR, name);
    return { values: { link: link.split('#link=')[1] ?? '' }, headers: {}, actor: name };
  };
  const change = { password: PASSWORD, new_password: 'another password' };
  return {
    '/admin/sign-in': act(() => ({ username: 'admin', password: PASSWORD }), 'session opened', {
      headers: {},
      isFree: true,
    }),
    '/admin/sign-in/finish': free(() => answeredSignIn(parts), 'session opened'),
    '/admin/passkey/options': free(() => own(confirmed(parts), {}), 'passkey requested'),
    '/admin/sign-in/passkey-link': free(passkeyLink, 'passkey requested'),
    '/admin/sign-in/passkey': free(async () => madePasskey(await confirmed(parts)), 'passkey added: laptop'),
    '/admin/passkey/remove': free(() => sparePasskey(parts), 'passkey removed: laptop'),
    '/admin/confirmation': free(() => own(signedIn(parts), { password: PASSWORD }), 'confirmed'),
    '/admin/confirmation/finish': free(() => answeredConfirmation(parts), 'confirmed'),
    '/admin/password': free(
      () => own(confirmed(parts), change),
      'password changed',
      'administrator/password',
    ),
    '/admin/session/end': act(
      async () => ({ administrator: (await signedIn(parts)).name, all: '1' }),
      'session closed',
      { action: 'administrator/session' },
    ),
  };
}

/** An administrator besides `admin`, and a login. */
async function signedIn({
  application,
  name: newName,
}: SignInParts): Promise<{ readonly name: string; readonly browser: Browser }> {
  const name = newName();
  await application().services.administrators.add(OPERATOR, name, PASSWORD);
  const browser = new Browser(application().app);
  await browser.post('/admin/sign-in', { username: name, password: PASSWORD });
  return { name, browser };
}

/** An administrator with a login that is confirmed. */
async function confirmed(parts: SignInParts): ReturnType<typeof signedIn> {
  const owner = await signedIn(parts);
  await owner.browser.post('/admin/confirmation', { password: PASSWORD });
  return owner;
}

export function headersOf({ cookies }: Browser): RequestValues {
  return {
    Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'X-CSRF-TOKEN': cookies.get('csrf_access_token') ?? '',
  };
}

async function answeredSignIn(parts: SignInParts): Promise<ActRequest> {
  const { application, token } = parts;
  const { name, browser } = await signedIn(parts);
  await application().services.administrators.setSecondFactor(OPERATOR, name, await token());
  const begun = await browser.post('/admin/sign-in', { username: name, password: PASSWORD });
  await answer(begun, parts);
  return { values: {}, headers: headersOf(browser), actor: name };
}

async function answeredConfirmation(parts: SignInParts): Promise<ActRequest> {
  const { headers = {}, actor = '' } = await answeredSignIn(parts);
  const { application } = parts;
  const browser = new Browser(application().app);
  for (const pair of (headers.Cookie ?? '').split('; ')) {
    const [name = '', value = ''] = pair.split('=');
    browser.cookies.set(name, value);
  }
  await browser.post('/admin/sign-in/finish');
  await answer(await browser.post('/admin/confirmation', { password: PASSWORD }), parts);
  return { values: {}, headers: headersOf(browser), actor };
}

/** Answers the challenge of a second step, as the app does. */
async function answer(begun: Response, { application, suite }: SignInParts): Promise<void> {
  const { detail } = begun.body as { detail: { transactionid: string; data: string } };
  const response = application().respond(suite, questionOf(detail.data));
  await application().check(detail.transactionid, response);
}

/** A passkey that a browser has made, to be registered. */
async function madePasskey({ name, browser }: Awaited<ReturnType<typeof signedIn>>): Promise<ActRequest> {
  const begun = await browser.post('/admin/passkey/options');
  const { options } = valueOf(begun) as { options: { challenge: string } };
  const credential = new SoftwareAuthenticator(ORIGIN).create(options);
  return { values: { credential, name: 'laptop' }, headers: headersOf(browser), actor: name };
}

/** One of two passkeys. */
async function sparePasskey(parts: SignInParts): Promise<ActRequest> {
  const owner = await confirmed(parts);
  for (let made = 0; made < 2; made += 1) {
    await owner.browser.post('/admin/sign-in/passkey', (await madePasskey(owner)).values);
  }
  const [first] = valueOf(await owner.browser.get('/admin/passkey/list')) as { id: string }[];
  return { values: { id: first?.id ?? '' }, headers: headersOf(owner.browser), actor: owner.name };
}

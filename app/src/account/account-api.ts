import { readVerdict } from '../../../src/device/response-request.ts';

/** Characters that the server takes. */
export const MAX_DESCRIPTION_LENGTH = 255;
export const MAX_LOGIN_LENGTH = 320;

/** What went wrong, as far as the page has words for it. */
export type AccountFault =
  | 'refused'
  | 'strict'
  | 'wrong'
  | 'ended'
  | 'unconfirmed'
  | 'unfinished'
  | 'missing'
  | 'limited'
  | 'no-connection'
  | { readonly message: string };

/** A request that failed. */
export class AccountFailure extends Error {
  readonly fault: AccountFault;
  /** True where the same request may succeed in a moment. */
  readonly isPassing: boolean;

  constructor(fault: AccountFault, isPassing = false) {
    super(typeof fault === 'string' ? fault : fault.message);
    this.fault = fault;
    this.isPassing = isPassing;
  }
}

/** @returns true for a failure after which one may ask again */
export function isPassing(error: unknown): boolean {
  return error instanceof AccountFailure && error.isPassing;
}

export function isEnded(error: unknown): boolean {
  return error instanceof AccountFailure && error.fault === 'ended';
}

/** What a token of the person is asked for. */
export interface Asked {
  /** The content of the QR code of a challenge; absent: the code that an authenticator app shows without one. */
  readonly data?: string;
}

/** A sign-in whose password was right. */
export interface BegunSignIn extends Asked {
  /** The place of the token that is asked. */
  readonly token: number;
  /** The ends of the serials of those that can be asked. */
  readonly tokens: readonly string[];
  /** By the server's clock. */
  readonly expires_at: string;
}

export interface OwnToken {
  readonly serial: string;
  readonly description: string;
  readonly state: 'active' | 'locked' | 'off' | 'rollout' | 'unfinished';
  readonly is_sign_in_token: boolean;
  readonly created_at: string;
  readonly last_success_at: string | null;
}

/** The account of the person who has signed in. */
export interface OwnAccount {
  readonly login: string;
  readonly acts: readonly string[];
  readonly tokens: readonly OwnToken[];
  readonly csrf_token: string;
}

/** What is enrolled: a QR-TAN app, or an authenticator app. */
export type EnrolledType = 'ocra2' | 'totp';

/** What the new phone is shown. */
export type Enrolment = RollOut | UnprovenApp;

/** An authenticator app that has to show its first code. */
export interface UnprovenApp {
  readonly serial: string;
  /** The content of the QR code: `otpauth://…`. */
  readonly key_uri: string;
}

/** The codes of a roll-out. */
export interface RollOut {
  readonly serial: string;
  readonly init: string;
  readonly activation_code: string;
  readonly nonce: string;
  readonly transactionid: string;
  /** By the server's clock. */
  readonly expires_at: string;
}

export interface Credentials {
  readonly user: string;
  readonly realm: string;
  readonly password: string;
}

type Values = Readonly<Record<string, string>>;

const TIMEOUT_MS = 30_000;

/** The server's part of the account page, below the same address. */
export class AccountApi {
  #csrf = '';
  /** Milliseconds by which the server's clock is ahead of this one. */
  #ahead = 0;

  /** @returns milliseconds until the moment of the server */
  timeUntil(moment: string): number {
    return Math.max(0, Date.parse(moment) - Date.now() - this.#ahead);
  }

  /** @param token the place of the token to ask; undefined: the one used last */
  signIn({ user, realm, password }: Credentials, token?: number): Promise<BegunSignIn> {
    const where = {
      ...(realm.trim() !== '' && { realm }),
      ...(token !== undefined && { token: `${token}` }),
    };
    return this.#post('self/sign-in', { user, password, ...where });
  }

  /** @param response undefined: asks whether the app has sent it */
  async finishSignIn(response?: string): Promise<boolean> {
    const done = await this.#post<{ is_signed_in: boolean; csrf_token?: string }>(
      'self/sign-in/finish',
      given(response),
    );
    this.#csrf = done.csrf_token ?? this.#csrf;
    return done.is_signed_in;
  }

  async account(): Promise<OwnAccount> {
    const account = await this.#ask<OwnAccount>('self/tokens', { method: 'GET' });
    this.#csrf = account.csrf_token;
    return account;
  }

  rename(serial: string, description: string): Promise<true> {
    return this.#post('self/rename', { serial, description });
  }

  lock(serial: string): Promise<true> {
    return this.#post('self/lock', { serial });
  }

  askToEnrol(type: EnrolledType): Promise<Asked> {
    return this.#post('self/enrol', { type });
  }

  /** @returns undefined while the app has not answered */
  async enrol(type: EnrolledType, description: string, response?: string): Promise<Enrolment | undefined> {
    const done = await this.#post<{ is_enrolled: boolean } & Enrolment>('self/enrol/finish', {
      type,
      description,
      ...given(response),
    });
    return done.is_enrolled ? done : undefined;
  }

  /** Sends the first code of a new authenticator app. */
  prove(serial: string, response: string): Promise<true> {
    return this.#post('self/enrol/prove', { serial, response });
  }

  /** Ends the enrolment that was begun. */
  cancelEnrolment(): Promise<true> {
    return this.#post('self/enrol/cancel', {});
  }

  /** Sends the first response of a new phone. @returns true if it was right */
  async complete(transactionid: string, pass: string): Promise<boolean> {
    const answer = await this.#fetch('ocra/check_t', {
      method: 'POST',
      body: new URLSearchParams({ transactionid, pass }),
    });
    return readVerdict(await answer.text()) === true;
  }

  signOut(): Promise<true> {
    return this.#post('self/sign-out', {});
  }

  #post<Value>(path: string, values: Values): Promise<Value> {
    return this.#ask(path, { method: 'POST', body: new URLSearchParams(values) });
  }

  async #ask<Value>(path: string, request: RequestInit): Promise<Value> {
    const answer = await this.#fetch(path, request);
    const result = await resultOf<Value>(answer);
    if (!answer.ok || result.status !== true || result.value === undefined) {
      const isOfServer = answer.status === 429 || answer.status >= 500;
      throw new AccountFailure(faultOf(answer, result.error?.message), isOfServer);
    }
    return result.value;
  }

  async #fetch(path: string, request: RequestInit): Promise<Response> {
    try {
      const answer = await fetch(new URL(`../${path}`, document.baseURI), {
        ...request,
        // The phone shows what is to be confirmed in the language of this page.
        headers: { 'X-CSRF-TOKEN': this.#csrf, 'Accept-Language': document.documentElement.lang },
        credentials: 'same-origin',
        redirect: 'error',
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      this.#ahead = Date.parse(answer.headers.get('date') ?? '') - Date.now() || 0;
      return answer;
    } catch {
      throw new AccountFailure('no-connection', true);
    }
  }
}

interface Result<Value> {
  readonly status?: boolean;
  readonly value?: Value;
  readonly error?: { readonly message?: string };
}

async function resultOf<Value>(answer: Response): Promise<Result<Value>> {
  const body = (await answer.json().catch(() => undefined)) as { result?: Result<Value> } | undefined;
  return body?.result ?? {};
}

function given(response: string | undefined): Values {
  return response === undefined ? {} : { response };
}

const REFUSALS: ReadonlyMap<string, AccountFault> = new Map([
  ['sign-in.refused/password', 'refused'],
  ['sign-in.refused/token', 'strict'],
  ['sign-in.refused/second-factor', 'wrong'],
]);

function faultOf({ status, headers }: Response, message: string | undefined): AccountFault {
  const code = headers.get('Tankeeper-Failure') ?? '';
  if (status === 401) {
    return REFUSALS.get(code) ?? 'ended';
  }
  if (status === 404) {
    return 'missing';
  }
  return status === 429 ? 'limited' : { message: message ?? `HTTP ${status}` };
}

/** @returns what the person calls a token */
export function nameOf({ serial, description }: Pick<OwnToken, 'serial' | 'description'>): string {
  return description.trim() === '' ? serial : description;
}

/** @returns the value in place of the failure of a wrong response, after which one may try again */
export async function ifWrong<Value>(answer: Promise<Value>, value: Value): Promise<Value> {
  return answer.catch((error: unknown) => {
    if (error instanceof AccountFailure && error.fault === 'wrong') {
      return value;
    }
    throw error;
  });
}

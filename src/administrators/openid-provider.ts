import type * as OpenidClient from 'openid-client';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { describeFault, type FaultFields, type Log } from '../kernel/log.ts';
import { safeText } from '../kernel/text.ts';
import { withTimeLimit } from '../kernel/bounded-work.ts';

/** The secrets of one sign-in at the provider. */
export interface ProviderSignIn {
  /** Ties the answer to the browser that asked (RFC 6749 section 10.12). */
  readonly state: string;
  /** Ties the ID token to this sign-in (OpenID Connect Core, section 3.1.2.1). */
  readonly nonce: string;
  /** Ties the code to this server (RFC 7636). */
  readonly verifier: string;
}

/** The parameters with which the provider sends the browser back. */
export type ProviderAnswer = Readonly<
  Partial<Record<'code' | 'state' | 'iss' | 'error' | 'error_description', string | undefined>>
>;

/** The person whom a provider has identified: the values of the two claims, undefined where one is not there. */
interface IdentifiedPerson {
  readonly name: unknown;
  readonly groups: unknown;
}

/** An answer that proves nothing. */
interface UnprovenAnswer {
  /** Why, for the audit: without text of browser and provider but for known codes. */
  readonly unproven: string;
}

/** How this server proves itself to a provider (OpenID Connect Core, section 9); `auto`: as the provider's metadata says. */
type ClientAuthentication = 'auto' | (typeof METHODS)[number];

/** The registration of this server at a provider. */
export interface OpenidSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Default: `auto`. */
  readonly clientAuthentication?: ClientAuthentication | undefined;
  readonly redirectUrl: string;
  readonly scopes: string;
  readonly nameClaim: string;
  readonly groupsClaim: string;
  /** Seconds for each request to the provider, until the end of its answer; default: 5. */
  readonly requestTimeout?: number | undefined;
}

interface Discovered {
  readonly client: typeof OpenidClient;
  readonly configuration: OpenidClient.Configuration;
}

/** By preference. */
const METHODS = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const;
const TIMEOUT_SECONDS = 5;
/** Milliseconds for the requests of one sign-in together. */
const EXCHANGE_TIMEOUT_MS = 10_000;
/** Bytes of an answer, decompressed: the keys of a large provider have some ten thousand. */
const MAX_ANSWER = 262_144;
/** Exchanges with the provider at once: anyone may cause one, and all of them wait when it hangs. */
const MAX_CONCURRENT = 20;
/** Milliseconds for which the provider's metadata is remembered. */
const METADATA_AGE_MS = 3_600_000;
/** Seconds by which the machine's clock may move meanwhile; openid-client tolerates 30. */
const MAX_SKEW_CHANGE = 5;

/** An OpenID Connect provider by openid-client. Its metadata is read on use, so that the server starts without it. */
export class OpenidProvider {
  readonly #deps;
  readonly #elapsed: () => number;
  #underWay = 0;
  #discovered:
    { readonly at: number; readonly skew: number; readonly value: Promise<Discovered> } | undefined;

  constructor(
    options: OpenidSettings & {
      readonly log: Log;
      /** Times of ID tokens are compared with it. */
      readonly clock: Pick<Clock, 'offset'>;
      /** Milliseconds of a clock that never goes back. */
      readonly elapsed?: () => number;
    },
  ) {
    this.#deps = options;
    this.#elapsed = options.elapsed ?? (() => performance.now());
  }

  /**
   * @returns the URL that the browser opens
   * @throws ServiceError 'sign-in.unavailable'
   */
  async authorizationUrl({ state, nonce, verifier }: ProviderSignIn): Promise<string> {
    const { redirectUrl, scopes } = this.#deps;
    const { client, configuration } = await this.#ask(() => this.#discover());
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUrl,
      scope: scopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * @param requestId for the log
   * @throws ServiceError 'sign-in.unavailable'
   */
  identify(
    answer: ProviderAnswer,
    signIn: ProviderSignIn,
    requestId?: string,
  ): Promise<IdentifiedPerson | UnprovenAnswer> {
    return this.#ask(() => this.#identify(answer, signIn, requestId));
  }

  async #identify(
    answer: ProviderAnswer,
    signIn: ProviderSignIn,
    requestId: string | undefined,
  ): Promise<IdentifiedPerson | UnprovenAnswer> {
    const { client, configuration } = await this.#discover();
    const url = new URL(this.#deps.redirectUrl);
    for (const [name, value] of Object.entries(answer)) {
      if (value !== undefined) {
        url.searchParams.set(name, value);
      }
    }
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: signIn.verifier,
        expectedState: signIn.state,
        expectedNonce: signIn.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      return claims === undefined
        ? { unproven: 'no ID token' }
        : await this.#personOf(claims, tokens.access_token, { client, configuration });
    } catch (error) {
      const secrets = [
        this.#deps.clientSecret,
        signIn.verifier,
        signIn.nonce,
        signIn.state,
        answer.code ?? '',
      ];
      const fault = faultOf(error, secrets);
      this.#deps.log.warn('Single sign-on failed', { component: 'sign-in', requestId, ...fault });
      if (isAway(error)) {
        throw unavailable(error);
      }
      return { unproven: reasonOf(error) };
    }
  }

  /** Asks the user info endpoint for the claims that are not in the ID token, which goes first. */
  async #personOf(
    claims: OpenidClient.IDToken,
    accessToken: string,
    { client, configuration }: Discovered,
  ): Promise<IdentifiedPerson> {
    const { nameClaim, groupsClaim } = this.#deps;
    const [name, groups] = [claimOf(claims, nameClaim), claimOf(claims, groupsClaim)];
    const isComplete = name !== undefined && groups !== undefined;
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) {
      return { name, groups };
    }
    const told = await client.fetchUserInfo(configuration, accessToken, claims.sub);
    return { name: name ?? claimOf(told, nameClaim), groups: groups ?? claimOf(told, groupsClaim) };
  }

  /** @throws ServiceError 'sign-in.unavailable' at once if too many wait for the provider, or if it takes too long */
  #ask<Answer>(exchange: () => Promise<Answer>): Promise<Answer> {
    if (this.#underWay >= MAX_CONCURRENT) {
      return Promise.reject(this.#unasked('too many sign-ins wait for it'));
    }
    this.#underWay += 1;
    const work = exchange().finally(() => {
      this.#underWay -= 1;
    });
    return withTimeLimit(EXCHANGE_TIMEOUT_MS, work, () => this.#unasked('it takes too long'));
  }

  #unasked(reason: string): ServiceError {
    this.#deps.log.warn('The identity provider cannot be asked', { component: 'sign-in', reason });
    return unavailable(undefined, reason);
  }

  /** One request at a time; a failure is not remembered. */
  #discover(): Promise<Discovered> {
    // What the service's time is ahead of the machine's, which the library goes by.
    const skew = -Math.round((this.#deps.clock.offset ?? 0) / 1_000);
    const known = this.#discovered;
    if (
      known !== undefined &&
      this.#elapsed() - known.at <= METADATA_AGE_MS &&
      Math.abs(known.skew - skew) <= MAX_SKEW_CHANGE
    ) {
      return known.value;
    }
    const value = this.#readMetadata(skew);
    this.#discovered = { at: this.#elapsed(), skew, value };
    value.catch(() => {
      this.#discovered = undefined;
    });
    return value;
  }

  /** @param skew seconds */
  async #readMetadata(skew: number): Promise<Discovered> {
    const { issuer, clientId, clientSecret, requestTimeout = TIMEOUT_SECONDS, log } = this.#deps;
    const { clientAuthentication = 'auto' } = this.#deps;
    const client = await import('openid-client');
    const url = new URL(issuer);
    try {
      const configuration = await client.discovery(
        url,
        clientId,
        { [client.clockSkew]: skew },
        authenticationBy(client, clientAuthentication, clientSecret),
        {
          timeout: requestTimeout,
          [client.customFetch]: boundedFetch,
          execute: [
            // The configuration allows http:// for this machine only.
            // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated only to stand out
            ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : []),
            // Verifies the signature of the ID token, too, although it comes from the provider directly.
            client.enableNonRepudiationChecks,
          ],
        },
      );
      return { client, configuration };
    } catch (error) {
      const fault = faultOf(error, [clientSecret]);
      log.warn('The identity provider cannot be asked', { component: 'sign-in', issuer, ...fault });
      throw unavailable(error);
    }
  }
}

/**
 * Keycloak has `realm_access.roles` in an object, others a name such as `https://example.com/groups`: the name as a whole
 * goes first, then its longest part before a dot.
 * @returns the value of a claim, or of one inside another; undefined where it is not there
 */
function claimOf(claims: unknown, name: string): unknown {
  if (typeof claims !== 'object' || claims === null) {
    return undefined;
  }
  if (Object.hasOwn(claims, name)) {
    return (claims as Readonly<Record<string, unknown>>)[name];
  }
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const outer = name.slice(0, dot);
    const found = Object.hasOwn(claims, outer)
      ? claimOf((claims as Readonly<Record<string, unknown>>)[outer], name.slice(dot + 1))
      : undefined;
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/**
 * Chosen when a token is asked for, as the metadata is known then.
 * @returns the authentication of this server, which throws ServiceError 'sign-in.unavailable' where the provider takes none
 */
function authenticationBy(
  client: typeof OpenidClient,
  wanted: ClientAuthentication,
  secret: string,
): OpenidClient.ClientAuth {
  return (server, registration, body, headers) => {
    // Without the list it is client_secret_basic (OpenID Connect Discovery, section 3).
    const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const method = wanted === 'auto' ? METHODS.find((known) => offered.includes(known)) : wanted;
    switch (method) {
      case 'client_secret_basic':
        headers.set('Authorization', basicCredentials(registration.client_id, secret));
        return;
      case 'client_secret_post':
        body.set('client_id', registration.client_id);
        body.set('client_secret', secret);
        return;
      case 'client_secret_jwt':
        // eslint-disable-next-line @typescript-eslint/no-confusing-void-expression -- the library waits for it
        return client.ClientSecretJwt(secret)(server, registration, body, headers);
      default:
        throw unavailable(undefined, `the provider takes none of ${METHODS.join(', ')}`);
    }
  };
}

/**
 * Encodes only what a reader of the form encoding would misread (RFC 6749 section 2.3.1): many providers do not decode,
 * and then take identifiers with `.` or `-` only as they are.
 */
function basicCredentials(id: string, secret: string): string {
  const [user, password] = [id, secret].map((text) =>
    text.replace(/[^\x21-\x7e]|[%+:]/gu, (character) => encodeURIComponent(character).replace('%20', '+')),
  );
  return `Basic ${btoa(`${user ?? ''}:${password ?? ''}`)}`;
}

/** Characters of a text of the provider in the log. */
const MAX_SAID = 300;

/** Describes a failure with what the provider said of it, without the secrets of the exchange. */
function faultOf(error: unknown, secrets: readonly string[]): Pick<FaultFields, 'fault' | 'faultDetail'> {
  const { fault, faultDetail } = describeFault(error);
  const said = saidBy(error) ?? saidBy((error as { readonly cause?: unknown }).cause);
  if (said === undefined) {
    return { fault, faultDetail: faultDetail ?? failedCheck(error) };
  }
  const known = secrets.filter((secret) => secret !== '');
  const cleaned = known.reduce((text, secret) => text.replaceAll(secret, '…'), said);
  return { fault, faultDetail: safeText(cleaned) };
}

/** @returns the provider's error (RFC 6749, 4.1.2.1 and 5.2; RFC 6750, 3), or the two issuers that differ */
function saidBy(error: unknown): string | undefined {
  const {
    error: code,
    error_description: description,
    cause,
  } = Object(error) as Readonly<Record<string, unknown>>;
  const [challenge] = Array.isArray(cause)
    ? (cause as { parameters?: { error?: unknown; error_description?: unknown } }[])
    : [];
  return (
    saidError(code, description) ??
    saidError(challenge?.parameters?.error, challenge?.parameters?.error_description) ??
    differingIssuers(cause)
  );
}

function saidError(code: unknown, description: unknown): string | undefined {
  if (typeof code !== 'string') {
    return undefined;
  }
  const more = typeof description === 'string' ? ` (${bounded(description)})` : '';
  return `the provider says: ${bounded(code)}${more}`;
}

/** Reads the comparison that failed, of the metadata, the answer (RFC 9207) or the ID token; other values are not logged. */
function differingIssuers(cause: unknown): string | undefined {
  const { expected, body, attribute, claims, claim, parameters } = Object(cause) as Readonly<
    Record<string, unknown>
  >;
  const issuers = [
    parameters instanceof URLSearchParams ? parameters.get('iss') : undefined,
    attribute === 'issuer' ? (body as { issuer?: unknown }).issuer : undefined,
    claim === 'iss' ? (claims as { iss?: unknown }).iss : undefined,
  ];
  const actual = issuers.find((value) => typeof value === 'string');
  return typeof expected === 'string' && actual !== undefined && expected !== actual
    ? `the issuer is ${bounded(actual)}, expected is ${bounded(expected)}`
    : undefined;
}

/** Of RFC 6749, 4.1.2.1 and 5.2, RFC 6750, 3.1, and OpenID Connect Core, 3.1.2.6. */
const ERROR_CODES =
  /^(?:access_denied|(?:interaction|login|account_selection|consent)_required|invalid_(?:request|client|grant|scope|token)|insufficient_scope|unauthorized_client|unsupported_(?:response|grant)_type|server_error|temporarily_unavailable)$/;

/** @returns why the answer proves nothing; anyone may send an answer, so that of its text only known codes are repeated */
function reasonOf(error: unknown): string {
  const said = /^the provider says: (\S+)/.exec(saidBy(error) ?? '')?.[1];
  if (said !== undefined) {
    return `the provider says: ${ERROR_CODES.test(said) ? said : 'another error'}`;
  }
  const { fault, faultDetail } = describeFault(error);
  return faultDetail ?? failedCheck(error) ?? fault;
}

/** @returns the check that failed, in the words of the library, which hold no value; undefined for other errors */
function failedCheck(error: unknown): string | undefined {
  const { cause } = error as { readonly cause?: unknown };
  const checked = [cause, error].find(
    (one) =>
      one instanceof Error &&
      ['ClientError', 'OperationProcessingError', 'UnsupportedOperationError'].includes(one.name),
  );
  return checked instanceof Error ? checked.message : undefined;
}

function bounded(text: string): string {
  return text.length > MAX_SAID ? `${text.slice(0, MAX_SAID)}…` : text;
}

/** @returns true for a provider that did not answer, not in time, or too much */
function isAway(error: unknown): boolean {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return code === 'OAUTH_TIMEOUT' || isUnreachable(error) || isUnreachable(cause);
}

/** `fetch` throws a TypeError for every failure of the network, such as an answer that ends early. */
function isUnreachable(error: unknown): boolean {
  return error instanceof OversizedAnswer || (error instanceof TypeError && error.message === 'fetch failed');
}

function unavailable(cause: unknown, detail?: string): ServiceError {
  return new ServiceError(
    'sign-in.unavailable',
    'The identity provider cannot be asked. Sign in by password, or try again later',
    { cause, ...(detail !== undefined && { detail }) },
  );
}

/** An answer that is larger than allowed. */
class OversizedAnswer extends Error {
  constructor() {
    super(`The answer has more than ${MAX_ANSWER} bytes`);
  }
}

/**
 * As `fetch`, and reads the answer whole, so that the signal of the request bounds its time, too.
 * @throws OversizedAnswer, and what `fetch` throws
 */
async function boundedFetch(url: string, options: object): Promise<Response> {
  const answer = await fetch(url, options);
  const { status, statusText, headers } = answer;
  const body = await readBody(answer);
  // A status such as 204 has no body.
  return new Response(body.length === 0 ? null : body, { status, statusText, headers });
}

async function readBody({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Node's streams can be iterated; leaving the loop closes the connection.
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_ANSWER) {
      throw new OversizedAnswer();
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

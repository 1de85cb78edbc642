import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** Faults of the provider, and claims of the next person. */
interface Behaviour {
  claims: Readonly<Record<string, unknown>>;
  /** Claims that it tells at the user info endpoint only. */
  userinfo: Readonly<Record<string, unknown>>;
  nonce: string | undefined;
  audience: string | undefined;
  issuer: string | undefined;
  /** The end of the ID token, from now on. */
  expiry: string;
  /** Signs with a key that it does not publish. */
  signsWrongly: boolean;
  /** The ways in which clients may prove themselves; undefined: its metadata says nothing. */
  methods: readonly string[] | undefined;
  clientId: string;
  /** Takes name and secret of the client as they are, without decoding them. */
  rawBasic: boolean;
  /** The description of its errors. */
  description: string | undefined;
  /** The issuer of its metadata, if it is another one. */
  published: string | undefined;
  /** The client secret that it takes. */
  secret: string;
  /** Answers no request. */
  hangs: boolean;
  /** Answers a blank a while, without an end. */
  trickles: boolean;
  /** Blanks that follow each answer. */
  padding: number;
}

interface SignInRequest {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUrl: string;
}

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export const CLIENT = { clientId: 'tankeeper', clientSecret: 'the secret of tankeeper' };

/** A small OpenID Connect provider (authorization code flow with PKCE S256), whose person signs in without a question. */
export class TestOpenidProvider {
  readonly behaviour: Behaviour;
  readonly #server: Server;
  readonly #codes = new Map<string, SignInRequest>();
  readonly #keys: KeyPair;
  readonly #others: KeyPair;
  readonly #jwk: JWK;

  private constructor(keys: KeyPair, others: KeyPair, jwk: JWK) {
    this.#keys = keys;
    this.#others = others;
    this.#jwk = { ...jwk, kid: 'k', alg: 'ES256', use: 'sig' };
    this.behaviour = {
      claims: {},
      userinfo: {},
      nonce: undefined,
      audience: undefined,
      issuer: undefined,
      expiry: '1m',
      signsWrongly: false,
      methods: undefined,
      clientId: CLIENT.clientId,
      rawBasic: false,
      description: undefined,
      published: undefined,
      secret: CLIENT.clientSecret,
      hangs: false,
      trickles: false,
      padding: 0,
    };
    this.#server = createServer((request, response) => {
      void this.#answer(request, response);
    });
  }

  static async start(port = 0): Promise<TestOpenidProvider> {
    const keys = await generateKeyPair('ES256');
    const provider = new TestOpenidProvider(
      keys,
      await generateKeyPair('ES256'),
      await exportJWK(keys.publicKey),
    );
    await new Promise<void>((resolve) => provider.#server.listen(port, '127.0.0.1', resolve));
    return provider;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Opens the URL as a browser. @returns the address to which the provider sends the browser back */
  async signIn(url: string): Promise<URL> {
    const answer = await fetch(url, { redirect: 'manual' });
    return new URL(answer.headers.get('location') ?? '');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { hangs, trickles } = this.behaviour;
    if (hangs) {
      return;
    }
    if (trickles) {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 200);
      response.on('close', () => {
        clearInterval(timer);
      });
      return;
    }
    const url = new URL(request.url ?? '/', this.issuer);
    const { issuer } = this;
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        this.#json(response, 200, {
          issuer: this.behaviour.published ?? issuer,
          token_endpoint_auth_methods_supported: this.behaviour.methods,
          jwks_uri: `${issuer}/jwks`,
          userinfo_endpoint: `${issuer}/me`,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['ES256'],
          authorization_response_iss_parameter_supported: true,
        });
        break;
      case '/jwks':
        this.#json(response, 200, { keys: [this.#jwk] });
        break;
      case '/auth':
        this.#authorize(url, response);
        break;
      case '/token':
        await this.#exchange(request, response);
        break;
      default:
        this.#json(response, 200, { sub: 'person-1', ...this.behaviour.userinfo });
    }
  }

  #authorize({ searchParams: asked }: URL, response: ServerResponse): void {
    const redirectUrl = asked.get('redirect_uri') ?? '';
    const code = randomBytes(16).toString('hex');
    this.#codes.set(code, {
      redirectUrl,
      nonce: asked.get('nonce') ?? '',
      challenge: asked.get('code_challenge_method') === 'S256' ? (asked.get('code_challenge') ?? '') : '',
    });
    const back = new URL(redirectUrl);
    back.search = new URLSearchParams({
      code,
      state: asked.get('state') ?? '',
      iss: this.issuer,
    }).toString();
    response.writeHead(302, { Location: back.href }).end();
  }

  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const code = form.get('code') ?? '';
    const asked = this.#codes.get(code);
    this.#codes.delete(code);
    const verified = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!this.#isClient(request.headers.authorization, form)) {
      this.#json(response, 401, { error: 'invalid_client', error_description: this.behaviour.description });
    } else if (asked?.challenge !== verified || asked.redirectUrl !== form.get('redirect_uri')) {
      this.#json(response, 400, { error: 'invalid_grant' });
    } else {
      this.#json(response, 200, {
        access_token: 'access',
        token_type: 'Bearer',
        expires_in: 60,
        id_token: await this.#idToken(asked.nonce),
      });
    }
  }

  #isClient(authorization: string | undefined, form: URLSearchParams): boolean {
    const { methods = ['client_secret_basic'], clientId, secret, rawBasic } = this.behaviour;
    if (authorization === undefined) {
      const isPosted = form.get('client_id') === clientId && form.get('client_secret') === secret;
      // The signature of the assertion is not what tests are about.
      const isSigned = methods.includes('client_secret_jwt') && form.has('client_assertion');
      return isSigned || (methods.includes('client_secret_post') && isPosted);
    }
    const parts = atob(authorization.replace('Basic ', '')).split(':');
    const read = rawBasic ? parts : parts.map((part) => decodeURIComponent(part.replaceAll('+', '%20')));
    return methods.includes('client_secret_basic') && read.join(':') === `${clientId}:${secret}`;
  }

  #idToken(nonce: string): Promise<string> {
    const { claims, nonce: other, audience, issuer, expiry, signsWrongly } = this.behaviour;
    return new SignJWT({ ...claims, nonce: other ?? nonce })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(issuer ?? this.issuer)
      .setAudience(audience ?? this.behaviour.clientId)
      .setSubject('person-1')
      .setIssuedAt()
      .setExpirationTime(expiry)
      .sign((signsWrongly ? this.#others : this.#keys).privateKey);
  }

  #json(response: ServerResponse, status: number, value: object): void {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value) + ' '.repeat(this.behaviour.padding));
  }
}

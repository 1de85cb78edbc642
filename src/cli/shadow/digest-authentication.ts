import { createHash } from 'node:crypto';

/** The name and password of an administrator. */
export interface LoginAccount {
  readonly name: string;
  readonly password: string;
}

const HASHES: Readonly<Record<string, string>> = { MD5: 'md5', 'SHA-256': 'sha256' };

/** Answers a challenge of HTTP Digest authentication (RFC 7616), with `qop=auth` or without any. */
export class DigestAuthentication {
  readonly #challenge: ReadonlyMap<string, string>;
  readonly #hash: string;
  #count = 0;

  private constructor(challenge: ReadonlyMap<string, string>, hash: string) {
    this.#challenge = challenge;
    this.#hash = hash;
  }

  /**
   * @param header a value of `WWW-Authenticate`
   * @returns undefined if it is no Digest challenge, or one of an unknown algorithm
   */
  static of(header: string): DigestAuthentication | undefined {
    const [, text] = /^\s*Digest\s+(.*)$/is.exec(header) ?? [];
    if (text === undefined) {
      return undefined;
    }
    const parts = text.matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g);
    const challenge = new Map(
      [...parts].map(([, name = '', quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? '']),
    );
    const hash = HASHES[(challenge.get('algorithm') ?? 'MD5').toUpperCase()];
    return hash === undefined ? undefined : new DigestAuthentication(challenge, hash);
  }

  /**
   * @param uri path and query of the request
   * @param clientNonce random text
   * @returns the value of `Authorization` (RFC 7616 §3.4)
   */
  authorize(account: LoginAccount, method: string, uri: string, clientNonce: string): string {
    const { realm = '', nonce = '', opaque, algorithm } = Object.fromEntries(this.#challenge);
    this.#count += 1;
    const count = this.#count.toString(16).padStart(8, '0');
    const secret = this.#digest(`${account.name}:${realm}:${account.password}`);
    const request = this.#digest(`${method}:${uri}`);
    const middle = this.#hasQop ? `${nonce}:${count}:${clientNonce}:auth` : nonce;
    const fields = [
      `username="${quoted(account.name)}"`,
      `realm="${realm}"`,
      `nonce="${nonce}"`,
      `uri="${uri}"`,
      `response="${this.#digest(`${secret}:${middle}:${request}`)}"`,
      ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
      ...(this.#hasQop ? ['qop=auth', `nc=${count}`, `cnonce="${clientNonce}"`] : []),
      ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
    ];
    return `Digest ${fields.join(', ')}`;
  }

  get #hasQop(): boolean {
    return (this.#challenge.get('qop') ?? '').split(',').some((one) => one.trim() === 'auth');
  }

  #digest(text: string): string {
    return createHash(this.#hash).update(text, 'utf8').digest('hex');
  }
}

function quoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}

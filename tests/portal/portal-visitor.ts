/** A page of the portal, or an answer to the component. */
export interface PortalAnswer {
  readonly status: number;
  /** The path that it led to. */
  readonly path: string;
  readonly text: string;
  readonly headers: Headers;
}

/** A challenge on a page. */
export interface ShownCode {
  readonly code: string;
  readonly transaction: string;
  readonly status: string;
}

/** A browser without scripts: keeps cookies, follows redirects, and names its origin as browsers do. */
export class PortalVisitor {
  readonly #origin: string;
  #cookie = '';

  constructor(origin: string) {
    this.#origin = origin;
  }

  async get(path: string, accept = 'text/html'): Promise<PortalAnswer> {
    return this.#send(path, { method: 'GET' }, accept);
  }

  /** @param headers replace those that a browser sends */
  async post(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<PortalAnswer> {
    const request = {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: this.#origin, ...headers },
    };
    return this.#send(path, request, 'text/html');
  }

  /** @returns the answer that the component would get */
  async state(path: string): Promise<unknown> {
    const { text } = await this.get(path, 'application/json');
    return JSON.parse(text);
  }

  async logIn(user: string, password = ''): Promise<PortalAnswer> {
    return this.post('/login', { user, password });
  }

  async #send(path: string, request: RequestInit, accept: string): Promise<PortalAnswer> {
    const answer = await fetch(new URL(path, this.#origin), {
      ...request,
      redirect: 'manual',
      headers: { ...(request.headers as Record<string, string>), accept, cookie: this.#cookie },
    });
    this.#cookie = answer.headers.getSetCookie().at(0)?.split(';')[0] ?? this.#cookie;
    const text = await answer.text();
    const location = answer.headers.get('location');
    return location === null
      ? { status: answer.status, path, text, headers: answer.headers }
      : this.#send(location, { method: 'GET' }, accept);
  }
}

/**
 * @returns the challenge on a page
 * @throws if there is none
 */
export function codeOn({ text }: PortalAnswer): ShownCode {
  const attribute = (name: string): string => {
    const found = new RegExp(`<tankeeper-challenge[^>]* ${name}="([^"]*)"`).exec(text);
    return (found?.[1] ?? '').replaceAll('&amp;', '&');
  };
  const code = attribute('data');
  if (!code.startsWith('lseqr://')) {
    throw new Error(`There is no code on this page:\n${text}`);
  }
  return { code, transaction: attribute('transaction'), status: attribute('status') };
}

export function hiddenField({ text }: PortalAnswer, name: string): string {
  return new RegExp(`type="hidden" name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
}

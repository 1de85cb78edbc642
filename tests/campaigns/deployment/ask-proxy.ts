import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Caddy } from '../../support/servers/caddy.ts';

/** A proxy that speaks TLS. */
export type Proxy = Pick<Caddy, 'origin' | 'authority'>;

export interface ProxyAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a request on a connection of its own. @throws if the answer does not come, or not whole */
export async function askProxy(
  { origin, authority }: Proxy,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Buffer | undefined;
  } = {},
): Promise<ProxyAnswer> {
  const sent = request(`${origin}${path}`, { method, headers, ca: authority, agent: false }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const pieces = (await answer.toArray()) as Buffer[];
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(pieces).toString() };
}

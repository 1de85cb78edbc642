import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { connectionReason } from '../../resolver-unavailable.ts';
import { LdapFault } from './ldap-fault.ts';
import type { LdapServer, LdapTransport } from './ldap-configuration.ts';

type Security = Pick<LdapTransport, 'authority' | 'verified'>;

/** Milliseconds until keep-alive probes; they detect vanished peers behind a firewall. */
const KEEP_ALIVE = 30_000;

/**
 * Opens a TCP connection.
 * @param timeout milliseconds, also for the name's resolution
 * @throws LdapFault 'unreachable'
 */
export function openSocket({ host, port }: LdapServer, timeout: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE });
  return ready(socket, 'connect', timeout, (cause) =>
    cause === undefined
      ? new LdapFault('unreachable', `no connection within ${timeout / 1000} s`)
      : new LdapFault('unreachable', 'no connection to the server', {
          cause,
          detail: connectionReason(cause.code) ?? cause.message,
        }),
  );
}

/**
 * Begins TLS on a connection.
 * @param timeout milliseconds
 * @throws LdapFault 'unreachable' that reports a refused certificate as such. The connection is closed then
 */
export async function secureSocket(
  plain: Socket,
  { host }: LdapServer,
  { authority, verified }: Security,
  timeout: number,
): Promise<Socket> {
  const socket = connectTls({
    socket: plain,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(authority === undefined ? {} : { ca: authority }),
    rejectUnauthorized: verified,
    minVersion: 'TLSv1.2',
  });
  socket.once('close', () => plain.destroy());
  try {
    return await ready(socket, 'secureConnect', timeout, tlsFault(timeout));
  } catch (fault) {
    plain.destroy();
    throw fault;
  }
}

function tlsFault(timeout: number): (cause: NodeJS.ErrnoException | undefined) => LdapFault {
  return (cause) => {
    if (cause === undefined) {
      return new LdapFault('unreachable', `no TLS within ${timeout / 1000} s`);
    }
    const words = /^(?:CERT_|DEPTH_|SELF_|UNABLE_|INVALID_|ERR_TLS_CERT)/.test(cause.code ?? '')
      ? "the server's certificate is not trusted"
      : 'TLS cannot be established';
    return new LdapFault('unreachable', words, { cause, detail: `${words} (${cause.message})` });
  };
}

/** Waits for a socket's event. A socket that is not ready in time is destroyed. */
async function ready<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  timeout: number,
  faultOf: (cause: NodeJS.ErrnoException | undefined) => LdapFault,
): Promise<S> {
  let timer: NodeJS.Timeout | undefined;
  let onError: ((cause: Error) => void) | undefined;
  // A socket may emit two errors; it has no other listener yet.
  socket.on('error', ignore);
  try {
    await new Promise<void>((resolve, reject) => {
      onError = (cause) => {
        reject(faultOf(cause));
      };
      socket.once('error', onError);
      socket.once(event, resolve);
      timer = setTimeout(() => {
        reject(faultOf(undefined));
      }, timeout);
    });
    return socket;
  } catch (fault) {
    socket.destroy();
    throw fault;
  } finally {
    clearTimeout(timer);
    if (onError !== undefined) {
      socket.off('error', onError);
    }
  }
}

function ignore(): void {
  // The first error has been handled.
}

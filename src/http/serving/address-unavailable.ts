import { ServiceError } from '../../kernel/errors.ts';

/** Reasons by system code, each with its remedy. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there. Stop it, or choose another port (PORT, METRICS_PORT)',
  EACCES:
    'this account may not use the port. Choose one from 1024 on (PORT, METRICS_PORT), or grant CAP_NET_BIND_SERVICE',
  EADDRNOTAVAIL: 'this machine has no such address. Correct HOST',
  ENOTFOUND: 'the host name is unknown. Correct HOST',
};

/** @returns the failure to listen, with its reason and remedy */
export function addressUnavailable(cause: NodeJS.ErrnoException, host: string, port: number): ServiceError {
  const reason = REASONS[cause.code ?? ''] ?? cause.code ?? 'failed';
  return new ServiceError('address.unavailable', `Cannot listen on ${host} port ${port}: ${reason}`, {
    cause,
  });
}

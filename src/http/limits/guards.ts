import type { Semaphore } from '../../kernel/semaphore.ts';
import type { LoginGuard } from './login-guard.ts';
import type { RequestGuard } from './request-guard.ts';
import type { ResponseGuard } from './response-guard.ts';

/** The limits that protect the service from its clients. */
export interface Guards {
  readonly requests: Pick<RequestGuard, 'admit'>;
  readonly work: Pick<Semaphore, 'run'>;
  readonly largeBodies: Pick<Semaphore, 'run'>;
  readonly responses: Pick<ResponseGuard, 'guard'>;
  readonly logins: Pick<LoginGuard, 'attempt'>;
}

import type { Guards } from '../../../src/http/limits/guards.ts';

/** Guards without limits. */
export const UNGUARDED: Guards = {
  requests: { admit: () => undefined },
  work: { run: (work) => work() },
  largeBodies: { run: (work) => work() },
  responses: {
    guard: (_client, serve) => serve(() => undefined),
  },
  logins: {
    attempt: (_attempt, verify) => verify(),
    begin: (_attempt, verify) => verify(() => Promise.resolve()),
    finish: () => Promise.resolve(),
  },
};

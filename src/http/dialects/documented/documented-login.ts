import { failureForm } from '../../failures.ts';
import type { LoginDialect } from '../dialect.ts';
import type { DocumentedEnvelope } from './documented-envelope.ts';

const REFUSED = {
  code: failureForm('authentication.required').legacyCode,
  message: 'Wrong user name or password',
} as const;

/** @returns the outcomes of /admin/login and /admin/logout as published */
export function documentedLogin(envelope: DocumentedEnvelope): LoginDialect {
  return {
    loggedIn: (_administrator, context) => envelope.value(context, true),
    loginRefused: (context) => envelope.reply(context, { status: false, error: REFUSED }, { status: 401 }),
    loggedOut: (_administrator, context) => envelope.value(context, true),
  };
}

import { ServiceError } from '../kernel/errors.ts';
import { canonicalAction, knownActions } from './policy-actions.ts';
import { RIGHT_SCOPES as SCOPES } from './stored-policy.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'administrator.invalid': NoPayload;
  }
}

/**
 * @param rights `*` for all, or `scope:action`, where each part may be `*`
 * @returns the rights, each once, under their canonical names
 * @throws ServiceError 'administrator.invalid' that names the unknown right and the known ones
 */
export function readRights(rights: readonly string[]): readonly string[] {
  const read = [...new Set(rights.map(readRight))];
  if (read.length === 0) {
    throw invalid('An API token needs at least one right, such as monitoring:*');
  }
  return read;
}

/** @returns true if a holder of `own` may pass on `rights`: at most their own rights */
export function mayPassOn(own: readonly string[], rights: readonly string[]): boolean {
  return rights.every((right) => own.some((one) => covers(one, right)));
}

/** @returns true if a right includes another one */
export function covers(right: string, other: string): boolean {
  const [scope, action] = split(right);
  const [otherScope, otherAction] = split(other);
  return (scope === '*' || scope === otherScope) && (action === '*' || action === otherAction);
}

/** @returns the refusal of an API token without a right that it needs */
export function lackingRight(right: string): ServiceError {
  return new ServiceError('right.missing', `This API token does not have the right ${right}`, {
    tokenRight: right,
  });
}

function split(right: string): readonly [string, string] {
  const [scope = '', action = ''] = (right === '*' ? '*:*' : right).split(':');
  return [scope, action];
}

function readRight(text: string): string {
  const right = text.trim();
  if (right === '*' || right === '*:*') {
    return '*';
  }
  const [scopeName = '', actionName, ...rest] = right.split(':');
  const scopes = scopeName === '*' ? SCOPES : SCOPES.filter((scope) => scope === scopeName);
  if (scopes.length === 0 || actionName === undefined || rest.length > 0) {
    throw invalid(`'${shorten(right)}' is no right. Use * or scope:action; scopes: ${SCOPES.join(', ')}.`);
  }
  if (actionName === '*') {
    return right;
  }
  const actions = scopes.map((scope) => canonicalAction(scope, actionName));
  const known = scopes.flatMap((scope) => knownActions(scope));
  const action = actions.find((one) => known.includes(one));
  if (action === undefined) {
    throw invalid(
      `Unknown action '${shorten(actionName)}' in '${shorten(right)}'. Known: ${known.join(', ')}, *.`,
    );
  }
  return `${scopeName}:${action}`;
}

function shorten(text: string): string {
  return text.slice(0, 100);
}

function invalid(message: string): ServiceError {
  return new ServiceError('administrator.invalid', message);
}

import { Alert, Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ServerFailure } from '../api/server-failure.ts';
import { useTexts } from '../language/language.ts';
import { useSessionControl } from '../session/session.tsx';
import { designTexts } from './design-texts.ts';
import { type FailedKind, useFailureWords } from './failure-words.ts';

interface FailureProps {
  /** Null: nothing is shown. */
  readonly error: Error | null;
  /** True where the same is asked again by itself. */
  readonly goesOn?: boolean;
  readonly onRetry?: (() => unknown) | undefined;
}

/** The failure; read aloud when it appears. */
export function Failure({ error, goesOn = false, onRetry }: FailureProps): ReactNode {
  const t = useTexts(designTexts);
  const wordsOf = useFailureWords();
  const { state } = useSessionControl();
  // Of a login that had ended: the person is signed in again.
  const isOver =
    error instanceof ServerFailure && error.code === 'authentication.required' && state.kind === 'signed-in';
  if (error === null || isOver) {
    return null;
  }
  const { title, text, language, next } = wordsOf(error, kindOf(goesOn, onRetry !== undefined));
  return (
    <Alert color={title === undefined ? 'yellow' : 'red'} role="alert" title={title}>
      <span lang={language}>{text}</span>
      {next !== undefined && ` ${next}`}
      {onRetry !== undefined && (
        <div>
          <Button variant="default" size="xs" mt="xs" onClick={() => void onRetry()}>
            {t.retry}
          </Button>
        </div>
      )}
    </Alert>
  );
}

function kindOf(goesOn: boolean, isOffered: boolean): FailedKind {
  return goesOn ? 'goes-on' : isOffered ? 'ended' : 'act';
}

/** The attempts of a query that fail before that is shown: a single one may be a server that starts anew. */
const SILENT_FAILURES = 1;

/** A server that asks for a pause is waited for long enough to be named at once. */
function isShown({
  failureCount,
  failureReason,
}: Pick<UseQueryResult, 'failureCount' | 'failureReason'>): boolean {
  const isPaused = failureReason instanceof ServerFailure && failureReason.retryAfter !== undefined;
  return failureCount > SILENT_FAILURES || isPaused;
}

/** The failure of a query: a refusal with a button, or a server that is asked again until it answers. */
export function QueryFailure({
  query,
}: {
  readonly query: Pick<UseQueryResult, 'error' | 'failureCount' | 'failureReason' | 'refetch'>;
}): ReactNode {
  const isAsking = query.error === null;
  return isAsking ? (
    <Failure error={isShown(query) ? query.failureReason : null} goesOn />
  ) : (
    <Failure error={query.error} onRetry={() => query.refetch()} />
  );
}

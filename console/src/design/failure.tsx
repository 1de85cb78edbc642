import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ServerFailure } from '../api/server-failure.ts';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';

interface FailureProps {
  /** Null: nothing is shown. */
  readonly error: Error | null;
  readonly onRetry?: (() => unknown) | undefined;
}

/** What went wrong, in the server's words where it has said so; read aloud when it appears. */
export function Failure({ error, onRetry }: FailureProps): ReactNode {
  const t = useTexts(designTexts);
  if (error === null) {
    return null;
  }
  const isAway = error instanceof ServerFailure && error.status === 0;
  const message = isAway ? t.away : error.message;
  return (
    <Alert color={isAway ? 'yellow' : 'red'} role="alert" title={isAway ? undefined : t.failed}>
      {message}
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

import { Alert, Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { shellTexts } from './shell-texts.ts';

interface BoundaryState {
  readonly hasFailed: boolean;
}

/** Shows a failed page as such, in place of an empty console. A server of a newer version may have other files, too. */
export class PageBoundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { hasFailed: false };

  static getDerivedStateFromError(): BoundaryState {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <FailedPage /> : this.props.children;
  }
}

function FailedPage(): ReactNode {
  const t = useTexts(shellTexts);
  return (
    <Alert color="red" role="alert" title={t.broken}>
      <Button
        variant="default"
        onClick={() => {
          location.reload();
        }}
      >
        {t.reload}
      </Button>
    </Alert>
  );
}

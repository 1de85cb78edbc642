import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Boundary } from '../design/boundary.tsx';
import { useTexts } from '../language/language.ts';
import { shellTexts } from './shell-texts.ts';

/** Shows a failed page as such, in place of an empty console. A server of a newer version may have other files, too. */
export function PageBoundary({ children }: { readonly children: ReactNode }): ReactNode {
  return <Boundary fallback={() => <FailedPage />}>{children}</Boundary>;
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

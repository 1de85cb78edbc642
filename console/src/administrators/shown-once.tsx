import { Alert, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from '../account/section.module.css';
import { CopyTextButton } from '../design/copy-text-button.tsx';

interface ShownOnceProps {
  readonly lead: string;
  readonly secret: string;
}

/** A secret that the server does not tell again, with a button that copies it. */
export function ShownOnce({ lead, secret }: ShownOnceProps): ReactNode {
  return (
    <Alert color="green" role="status">
      <div className={classes.section}>
        {lead}
        <Code className={classes.secret}>{secret}</Code>
        <CopyTextButton text={secret} />
      </div>
    </Alert>
  );
}

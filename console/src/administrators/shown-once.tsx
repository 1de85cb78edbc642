import { Alert, Button, Code } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { designTexts } from '../design/design-texts.ts';
import { useTexts } from '../language/language.ts';
import classes from '../account/section.module.css';

interface ShownOnceProps {
  readonly lead: string;
  readonly secret: string;
}

/** A secret that the server does not tell again, with a button that copies it. */
export function ShownOnce({ lead, secret }: ShownOnceProps): ReactNode {
  const t = useTexts(designTexts);
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(secret);
    setCopied(true);
  };
  return (
    <Alert color="green" role="status">
      <div className={classes.section}>
        {lead}
        <Code className={classes.secret}>{secret}</Code>
        <Button size="xs" variant="default" onClick={() => void copy()}>
          {isCopied ? t.copied : t.copy}
        </Button>
      </div>
    </Alert>
  );
}

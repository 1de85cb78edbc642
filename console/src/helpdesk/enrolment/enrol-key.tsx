import { Alert, Button, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { QrCode } from '../../design/qr-code.tsx';
import { useTexts } from '../../language/language.ts';
import { enrolTexts } from './enrol-texts.ts';
import classes from '../helpdesk.module.css';
import type { Stage } from './roll-out.ts';

interface KeyProps {
  readonly stage: Extract<Stage, { kind: 'key' }>;
  readonly onStage: (stage: Stage) => void;
}

/** The key of a plain token, which is shown once. */
export function EnrolKey({ stage: { serial, key }, onStage }: KeyProps): ReactNode {
  const t = useTexts(enrolTexts);
  return (
    <section className={classes.section} aria-label={t.key}>
      <Alert color="yellow">{t.keyOnce}</Alert>
      <p className={classes.quiet}>{t.key}</p>
      <Code block>{key}</Code>
      <QrCode text={`seed://${key}`} label={t.keyQr} />
      <div className={classes.actions}>
        <Button
          onClick={() => {
            onStage({ kind: 'ready', serial });
          }}
        >
          {t.finish}
        </Button>
      </div>
    </section>
  );
}

import { Alert, Button, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyTextButton } from '../../design/copy-text-button.tsx';
import { QrCode } from '../../design/qr-code.tsx';
import { useTexts } from '../../language/language.ts';
import { enrolTexts } from './enrol-texts.ts';
import classes from '../helpdesk.module.css';
import type { Stage } from './roll-out.ts';

interface KeyProps<Kind extends Stage['kind']> {
  readonly stage: Extract<Stage, { kind: Kind }>;
  readonly onStage: (stage: Stage) => void;
}

/** The key of a plain token, which is shown once. */
export function EnrolKey({ stage: { serial, key }, onStage }: KeyProps<'key'>): ReactNode {
  const t = useTexts(enrolTexts);
  return (
    <section className={classes.section} aria-label={t.key}>
      <Alert color="yellow">{t.keyOnce}</Alert>
      <p className={classes.quiet}>{t.key}</p>
      <Code block>{key}</Code>
      <QrCode text={`seed://${key}`} label={t.keyQr} />
      <Finish serial={serial} onStage={onStage} />
    </section>
  );
}

/** The key of an authenticator app as QR code and link, which are shown once. */
export function EnrolOtp({ stage: { serial, url }, onStage }: KeyProps<'otp'>): ReactNode {
  const t = useTexts(enrolTexts);
  return (
    <section className={classes.section} aria-label={t.otpQr}>
      <Alert color="yellow">{t.keyOnce}</Alert>
      <p className={classes.quiet}>{t.otpHelp(serial)}</p>
      <QrCode text={url} label={t.otpQr} />
      <Code block>{url}</Code>
      <CopyTextButton text={url} />
      <Finish serial={serial} onStage={onStage} />
    </section>
  );
}

function Finish({ serial, onStage }: { serial: string } & Pick<KeyProps<'key'>, 'onStage'>): ReactNode {
  const t = useTexts(enrolTexts);
  return (
    <div className={classes.actions}>
      <Button
        onClick={() => {
          onStage({ kind: 'ready', serial });
        }}
      >
        {t.finish}
      </Button>
    </div>
  );
}

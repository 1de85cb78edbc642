import { Alert, Anchor, Button, Code, TextInput } from '@mantine/core';
import type { ReactNode, SyntheticEvent } from 'react';
import { call } from '../../api/call.ts';
import { CopyTextButton } from '../../design/copy-text-button.tsx';
import { Failure } from '../../design/failure.tsx';
import { useFailureLine } from '../../design/failure-words.ts';
import { QrCode } from '../../design/qr-code.tsx';
import { useTexts } from '../../language/language.ts';
import { useSession } from '../../session/session.tsx';
import { enrolTexts } from './enrol-texts.ts';
import classes from '../helpdesk.module.css';
import { beginPhase2, type Stage } from './roll-out.ts';
import { useTokenAct } from '../use-token-act.ts';

interface CodeProps {
  readonly stage: Extract<Stage, { kind: 'phase1' }>;
  readonly code: string;
  readonly onCode: (code: string) => void;
  /** The text that the app shows with the second QR code. */
  readonly message: string;
  readonly onMessage: (message: string) => void;
  readonly onStage: (stage: Stage) => void;
}

/** The first QR code, and the activation code that leads to the second. */
export function EnrolCode({ stage, code, onCode, message, onMessage, onStage }: CodeProps): ReactNode {
  const t = useTexts(enrolTexts);
  const lineOf = useFailureLine();
  const begin = useTokenAct(() => beginPhase2(stage.serial, { code, message }), onStage);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    begin.mutate();
  };
  return (
    <div className={classes.columns}>
      <section className={classes.section} aria-label={t.step1}>
        <h2>{t.step1}</h2>
        <AppPlace />
        <p className={classes.quiet}>{t.step1Help(stage.serial)}</p>
        <QrCode text={stage.url} label={t.qr1} />
      </section>
      <section className={classes.section} aria-label={t.step2}>
        <h2>{t.step2}</h2>
        <p className={classes.quiet}>{t.appStands(stage.serial)}</p>
        <form className={classes.form} onSubmit={submit}>
          <TextInput
            label={t.codeLabel}
            description={t.codeHelp}
            required
            withAsterisk={false}
            autoComplete="off"
            spellCheck={false}
            value={code}
            error={lineOf(begin.error)}
            onChange={(event) => {
              onCode(event.currentTarget.value);
            }}
          />
          <MakeCode onCode={onCode} />
          <TextInput
            label={t.message}
            autoComplete="off"
            value={message}
            onChange={(event) => {
              onMessage(event.currentTarget.value);
            }}
          />
          <Button type="submit" loading={begin.isPending}>
            {t.showSecond}
          </Button>
        </form>
      </section>
    </div>
  );
}

/** The app of this server, beside the console, for a phone that has none. */
function AppPlace(): ReactNode {
  const t = useTexts(enrolTexts);
  const { href } = new URL('../app/', document.baseURI);
  return (
    <details>
      <summary>{t.noApp}</summary>
      <p>
        <Anchor href={href}>{href}</Anchor> <CopyTextButton text={href} />
      </p>
      <QrCode text={href} label={t.qrApp} />
    </details>
  );
}

/** The code in groups, as it is read out; what is copied has none. */
export function ActivationCode({ code }: { readonly code: string }): ReactNode {
  return (
    <>
      <Code>{code.replaceAll(/\s/g, '').replaceAll(/.{4}(?=.)/g, '$& ')}</Code> <CopyTextButton text={code} />
    </>
  );
}

/** Makes an activation code, to be sent by another way. */
function MakeCode({ onCode }: Pick<CodeProps, 'onCode'>): ReactNode {
  const t = useTexts(enrolTexts);
  const session = useSession();
  const making = useTokenAct(async () => {
    const { activationcode } = await call('/ocra/getActivationCode');
    return activationcode;
  }, onCode);
  if (!session.may('ocra', 'activationcode')) {
    return null;
  }
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={making.isPending}
        onClick={() => {
          making.mutate();
        }}
      >
        {t.makeCode}
      </Button>
      {making.data !== undefined && (
        <Alert color="blue" role="status">
          <ActivationCode code={making.data} /> {t.madeCode}
        </Alert>
      )}
      <Failure error={making.error} />
    </>
  );
}

import { Alert, Button, TextInput } from '@mantine/core';
import { type ReactNode, type SyntheticEvent, useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { Failure } from '../../design/failure.tsx';
import { useFailureLine } from '../../design/failure-words.ts';
import { QrCode } from '../../design/qr-code.tsx';
import { useFormat } from '../../language/format.ts';
import { useTexts } from '../../language/language.ts';
import { ActivationCode } from './enrol-code.tsx';
import { enrolTexts } from './enrol-texts.ts';
import classes from '../helpdesk.module.css';
import { beginPhase2, type Stage } from './roll-out.ts';
import { type FirstResponse, useFirstResponse } from '../use-first-response.ts';
import { useTokenAct } from '../use-token-act.ts';

interface ResponseProps {
  readonly stage: Extract<Stage, { kind: 'phase2' }>;
  /** The activation code and the text that the app shows, for the same step once more. */
  readonly code: string;
  readonly message: string;
  readonly onStage: (stage: Stage) => void;
  readonly onBack: () => void;
}

/** The second QR code, and the first response of the app as it comes. */
export function EnrolResponse({ stage, code, message, onStage, onBack }: ResponseProps): ReactNode {
  const t = useTexts(enrolTexts);
  const { serial } = stage;
  const response = useFirstResponse(serial, stage.transactionId);
  const isAccepted = response.kind === 'accepted';
  useEffect(() => {
    if (isAccepted) {
      onStage({ kind: 'ready', serial, isApp: true });
    }
  }, [isAccepted, onStage, serial]);
  const again = useTokenAct(() => beginPhase2(serial, { code, message }), onStage);
  return (
    <section className={classes.section} aria-label={t.step3}>
      <h2>{t.step3}</h2>
      <Progress response={response} />
      {response.kind === 'waiting' && (
        <div className={classes.columns}>
          <div className={classes.section}>
            <p className={classes.quiet}>{t.step3Help}</p>
            <QrCode text={stage.url} label={t.qr2} />
            <p>
              {t.codeLabel}: <ActivationCode code={code} />
            </p>
          </div>
          <div className={classes.section}>
            {!stage.hasAddress && <Alert color="yellow">{t.noAddress}</Alert>}
            <TypedResponse transactionId={stage.transactionId} />
          </div>
        </div>
      )}
      <div className={classes.actions}>
        <Button
          variant="default"
          size="xs"
          loading={again.isPending}
          onClick={() => {
            again.mutate();
          }}
        >
          {t.again}
        </Button>
        <Button variant="default" size="xs" onClick={onBack}>
          {t.back}
        </Button>
      </div>
      <Failure error={again.error} />
    </section>
  );
}

function Progress({ response }: { readonly response: FirstResponse }): ReactNode {
  const t = useTexts(enrolTexts);
  const format = useFormat();
  if (response.kind === 'accepted') {
    return null;
  }
  if (response.kind !== 'waiting') {
    return (
      <Alert color="red" role="status">
        {t[response.kind]}
      </Alert>
    );
  }
  const { wrong, failure } = response;
  return (
    <>
      <Alert color={wrong > 0 ? 'yellow' : 'blue'} role="status">
        {wrong > 0 ? t.wrong(format.number(wrong)) : t.waiting}
      </Alert>
      <Failure error={failure} goesOn />
    </>
  );
}

/** Sends a response that the app shows. */
function TypedResponse({ transactionId }: { readonly transactionId: string }): ReactNode {
  const t = useTexts(enrolTexts);
  const lineOf = useFailureLine();
  const [pass, setPass] = useState('');
  const check = useTokenAct(() => call('/ocra/check_t', { transactionid: transactionId, pass }));
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    check.mutate();
  };
  const isWrong = check.data?.result === false && !check.isPending;
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        label={t.typed}
        description={t.typedHelp}
        required
        withAsterisk={false}
        autoComplete="off"
        value={pass}
        error={isWrong ? t.typedWrong : lineOf(check.error)}
        onChange={(event) => {
          setPass(event.currentTarget.value);
        }}
      />
      <Button type="submit" variant="default" loading={check.isPending}>
        {t.check}
      </Button>
    </form>
  );
}

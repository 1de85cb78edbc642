import { Alert, Anchor, Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/call.ts';
import { Failure } from '../../design/failure.tsx';
import { Page } from '../../design/page.tsx';
import { useTexts } from '../../language/language.ts';
import { useSession } from '../../session/session.tsx';
import { peopleAddress, tokenAddress } from '../addresses.ts';
import { EnrolBegin } from './enrol-begin.tsx';
import { EnrolCode } from './enrol-code.tsx';
import { EnrolKey, EnrolOtp } from './enrol-key.tsx';
import { EnrolResponse } from './enrol-response.tsx';
import { enrolTexts } from './enrol-texts.ts';
import classes from '../helpdesk.module.css';
import type { EnrolTarget, Stage } from './roll-out.ts';
import { TestPayment } from '../test-payment.tsx';
import { tokenTexts } from '../token-texts.ts';
import { useNames } from '../use-names.ts';
import { useTokenAct } from '../use-token-act.ts';

/** The enrolment of a token. Its secrets are in the state of this page, and gone when it closes. */
export default function EnrolPage(): ReactNode {
  const t = useTexts(enrolTexts);
  const session = useSession();
  const target = targetOf(useNames('user', 'realm', 'serial'));
  return (
    <Page
      title={t.title}
      lead={leadOf(t, target)}
      actions={
        target.kind === 'nobody' && <Anchor href={`#${peopleAddress(session)}`}>{t.choosePerson}</Anchor>
      }
    >
      <Steps target={target} />
    </Page>
  );
}

function targetOf({
  user,
  realm,
  serial,
}: Readonly<Record<'user' | 'realm' | 'serial', string>>): EnrolTarget {
  if (serial !== '') {
    return { kind: 'token', serial };
  }
  return user === '' ? { kind: 'nobody' } : { kind: 'person', user, realm };
}

function leadOf(t: (typeof enrolTexts)['en'], target: EnrolTarget): string {
  switch (target.kind) {
    case 'person':
      return t.forPerson(target.user, target.realm);
    case 'token':
      return t.anew(target.serial);
    case 'nobody':
      return t.forNobody;
  }
}

function Steps({ target }: { readonly target: EnrolTarget }): ReactNode {
  const t = useTexts(enrolTexts);
  const [stage, setStage] = useState<Stage>({ kind: 'begin' });
  const [first, setFirst] = useState<Extract<Stage, { kind: 'phase1' }>>();
  /** These are kept for a second QR code anew. */
  const [code, setCode] = useState('');
  const [message, setMessage] = useState(t.defaultMessage);
  const go = (next: Stage): void => {
    if (next.kind === 'phase1') {
      setFirst(next);
    }
    if (next.kind === 'ready') {
      setFirst(undefined);
      setCode('');
    }
    setStage(next);
  };
  const stop = <Stop target={target} stage={stage} />;
  switch (stage.kind) {
    case 'begin':
      return <EnrolBegin target={target} onStage={go} />;
    case 'phase1':
      return (
        <>
          <EnrolCode
            stage={stage}
            code={code}
            onCode={setCode}
            message={message}
            onMessage={setMessage}
            onStage={go}
          />
          {stop}
        </>
      );
    case 'phase2':
      return (
        <>
          <EnrolResponse
            key={stage.transactionId}
            stage={stage}
            code={code}
            message={message}
            onStage={go}
            onBack={() => {
              setStage(first ?? { kind: 'begin' });
            }}
          />
          {stop}
        </>
      );
    case 'key':
      return <EnrolKey stage={stage} onStage={go} />;
    case 'otp':
      return <EnrolOtp stage={stage} onStage={go} />;
    case 'ready':
      return <Ready serial={stage.serial} isApp={stage.isApp === true} />;
  }
}

function Ready({ serial, isApp }: { readonly serial: string; readonly isApp: boolean }): ReactNode {
  const t = useTexts(enrolTexts);
  return (
    <Alert color="green" role="status" title={t.ready(serial)}>
      <div className={classes.actions}>
        {isApp && <TestPayment serial={serial} />}
        <Anchor href={`#${tokenAddress(serial)}`}>{t.toToken}</Anchor>
      </div>
    </Alert>
  );
}

/** Leaves the roll-out; a new token that it has made is removed where the caller may. */
function Stop({ target, stage }: { readonly target: EnrolTarget; readonly stage: Stage }): ReactNode {
  const t = useTexts(enrolTexts);
  const { told } = useTexts(tokenTexts);
  const session = useSession();
  const [, navigate] = useLocation();
  const serial = stage.kind === 'begin' ? '' : stage.serial;
  const removal = useTokenAct(
    () => call('/admin/remove', { serial }),
    () => {
      navigate('/search');
    },
    { text: told.remove(serial), leads: true },
  );
  const isNew = target.kind !== 'token';
  return (
    <div className={classes.actions}>
      <Button variant="default" size="xs" component="a" href={`#${tokenAddress(serial)}`}>
        {t.stop}
      </Button>
      {isNew && session.may('admin', 'remove', target.kind === 'person' ? target.realm : undefined) && (
        <Button
          variant="light"
          color="red"
          size="xs"
          loading={removal.isPending}
          onClick={() => {
            removal.mutate();
          }}
        >
          {t.removeUnfinished}
        </Button>
      )}
      <Failure error={removal.error} />
    </div>
  );
}

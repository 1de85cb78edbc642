import { Alert, Anchor, Button, Code, Textarea } from '@mantine/core';
import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { call, callWithDetail } from '../api/call.ts';
import type { WatchedTransaction } from '../challenges/watch-transaction.ts';
import { CopyTextButton } from '../design/copy-text-button.tsx';
import { Failure } from '../design/failure.tsx';
import { QrCode } from '../design/qr-code.tsx';
import { transactionAddress } from '../helpdesk/addresses.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { lifetimeSeconds, shownDuration } from './lifetime.ts';
import { Step } from './step.tsx';
import { testBenchTexts } from './test-bench-texts.ts';
import classes from './test-bench.module.css';

/** A challenge that was issued from this page. */
export interface IssuedChallenge {
  readonly serial: string;
  readonly transactionId: string;
  /** The content of the QR code. */
  readonly code: string;
  /** By this browser's clock, in milliseconds. */
  readonly issuedAt: number;
}

interface ChallengeStepProps {
  readonly serial: string;
  readonly issued: IssuedChallenge | null;
  readonly watched: WatchedTransaction;
  readonly onIssued: (issued: IssuedChallenge) => void;
}

/** Issues a challenge, and shows its code and its state. */
export function ChallengeStep({ serial, issued, watched, onIssued }: ChallengeStepProps): ReactNode {
  const t = useTexts(testBenchTexts);
  const [data, setData] = useState('');
  const issue = useMutation({
    mutationFn: () => issueChallenge(serial, data),
    onSuccess: onIssued,
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    issue.mutate();
  };
  return (
    <Step title={t.challenge}>
      <form onSubmit={submit} className={classes.step}>
        <Textarea
          label={t.data}
          description={t.dataHint}
          value={data}
          rows={3}
          onChange={(event) => {
            setData(event.currentTarget.value);
          }}
        />
        <Failure error={issue.error} />
        <div className={classes.line}>
          <Button type="submit" loading={issue.isPending}>
            {issued === null ? t.issue : t.issueAgain}
          </Button>
        </div>
      </form>
      {issued !== null && <Issued issued={issued} watched={watched} />}
    </Step>
  );
}

async function issueChallenge(serial: string, data: string): Promise<IssuedChallenge> {
  const { detail } = await callWithDetail('/ocra/request', { serial, data });
  return { serial, transactionId: detail.transactionid, code: detail.data, issuedAt: Date.now() };
}

function Issued({
  issued,
  watched,
}: {
  readonly issued: IssuedChallenge;
  readonly watched: WatchedTransaction;
}): ReactNode {
  const t = useTexts(testBenchTexts);
  const session = useSession();
  return (
    <div className={classes.issued}>
      <div className={classes.step}>
        <QrCode text={issued.code} label={t.code} />
        <p className={classes.note}>{t.codeHint}</p>
      </div>
      <div className={classes.step}>
        {session.may('ocra', 'status') ? <State watched={watched} /> : <p>{t.unwatched}</p>}
        {!watched.isClosed && <Countdown issuedAt={issued.issuedAt} />}
        <p className={classes.plain}>
          {t.transaction} <Code>{issued.transactionId}</Code>
        </p>
        {session.may('admin', 'transaction') && (
          <Anchor component={Link} href={transactionAddress(issued.transactionId)}>
            {t.timeline}
          </Anchor>
        )}
        <details>
          <summary>{t.link}</summary>
          <Code block className={classes.plain}>
            {issued.code}
          </Code>
          <CopyTextButton text={issued.code} />
        </details>
      </div>
    </div>
  );
}

const COLOURS = { unknown: 'gray', open: 'blue', wrong: 'yellow', accepted: 'green', closed: 'gray' };

/** The state of the transaction, read aloud when it changes. */
function State({
  watched: { status, isClosed, failure },
}: {
  readonly watched: WatchedTransaction;
}): ReactNode {
  const t = useTexts(testBenchTexts);
  const state =
    status === undefined
      ? 'unknown'
      : status.valid_tan
        ? 'accepted'
        : isClosed
          ? 'closed'
          : status.received_tan
            ? 'wrong'
            : 'open';
  return (
    <>
      <Alert role="status" color={COLOURS[state]} variant="light" p="xs">
        <strong>{t.states[state]}</strong>
        {status !== undefined && status.failcount > 0 && <div>{t.failcount(status.failcount)}</div>}
      </Alert>
      <Failure error={failure} goesOn />
    </>
  );
}

/** The rest of the challenge's lifetime; the time since its issue where the setting may not be read. */
function Countdown({ issuedAt }: { readonly issuedAt: number }): ReactNode {
  const t = useTexts(testBenchTexts);
  const mayRead = useSession().may('system', 'read');
  const lifetime = useQuery({
    queryKey: ['setting', 'OcraChallengeTimeout'],
    queryFn: mayRead
      ? async ({ signal }) =>
          lifetimeSeconds(await call('/system/getConfig', { key: 'OcraChallengeTimeout' }, { signal }))
      : skipToken,
  });
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  const age = Math.max(0, Math.floor((now - issuedAt) / 1_000));
  if (lifetime.data === undefined) {
    return <p className={classes.plain}>{t.since(shownDuration(age))}</p>;
  }
  const left = lifetime.data - age;
  return <p className={classes.plain}>{left > 0 ? t.remaining(shownDuration(left)) : t.over}</p>;
}

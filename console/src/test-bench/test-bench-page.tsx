import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useWatchedTransaction } from '../challenges/watch-transaction.ts';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { AnswerStep } from './answer-step.tsx';
import { ChallengeStep, type IssuedChallenge } from './challenge-step.tsx';
import { DeviceStep } from './device-step.tsx';
import { type Attempt, explainAnswer, type ResponseKind } from './explain-answer.ts';
import { testBenchTexts } from './test-bench-texts.ts';
import classes from './test-bench.module.css';
import { TokenStep } from './token-step.tsx';
import { sendResponse } from './virtual-device.ts';

/** Issues challenges and answers them, step by step. */
export default function TestBenchPage(): ReactNode {
  const t = useTexts(testBenchTexts);
  const mayWatch = useSession().may('ocra', 'status');
  const [serial, setSerial] = useState<string | null>(null);
  const [issued, setIssued] = useState<IssuedChallenge | null>(null);
  const [attempts, setAttempts] = useState<readonly Attempt[]>([]);
  const watched = useWatchedTransaction(mayWatch ? (issued?.transactionId ?? null) : null);
  const send = useMutation({
    mutationFn: ({ response }: { readonly kind: ResponseKind; readonly response: string }) =>
      sendResponse(issued?.transactionId ?? '', response),
    // The state may have changed before the answer comes.
    onMutate: () => ({ ...watched, attempts }),
    onSuccess: (answer, { kind }, before) => {
      const meaning = explainAnswer(answer, before);
      const at = new Date().toISOString();
      const { failcount, result: isAccepted } = answer;
      setAttempts((earlier) => [{ at, kind, failcount, isAccepted, meaning }, ...earlier]);
    },
    gcTime: 0,
  });
  const begin = (challenge: IssuedChallenge | null): void => {
    setIssued(challenge);
    setAttempts([]);
    send.reset();
  };
  const choose = (chosen: string | null): void => {
    setSerial(chosen);
    begin(null);
  };
  return (
    <Page title={t.title} lead={t.lead}>
      <div className={classes.bench}>
        <div className={classes.step}>
          <TokenStep serial={serial} onChoose={choose} />
          {serial !== null && (
            <ChallengeStep key={serial} serial={serial} issued={issued} watched={watched} onIssued={begin} />
          )}
          {issued !== null && (
            <AnswerStep
              key={issued.transactionId}
              attempts={attempts}
              isSending={send.isPending}
              error={send.error}
              onSend={(response) => {
                send.mutate({ kind: 'typed', response });
              }}
            />
          )}
        </div>
        <DeviceStep
          issued={issued}
          isSending={send.isPending}
          onUse={choose}
          onSend={(kind, response) => {
            send.mutate({ kind, response });
          }}
        />
      </div>
    </Page>
  );
}

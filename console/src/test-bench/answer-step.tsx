import { Badge, Button, Code, TextInput } from '@mantine/core';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { Failure } from '../design/failure.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import type { Attempt } from './explain-answer.ts';
import { Step } from './step.tsx';
import { testBenchTexts } from './test-bench-texts.ts';
import classes from './test-bench.module.css';

interface AnswerStepProps {
  readonly attempts: readonly Attempt[];
  readonly isSending: boolean;
  readonly error: Error | null;
  readonly onSend: (response: string) => void;
}

/** Takes a typed TAN, and lists the responses with what the server's answers mean. */
export function AnswerStep({ attempts, isSending, error, onSend }: AnswerStepProps): ReactNode {
  const t = useTexts(testBenchTexts);
  const [tan, setTan] = useState('');
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    onSend(tan);
  };
  return (
    <Step title={t.answer}>
      <form onSubmit={submit} className={classes.step}>
        <TextInput
          label={t.tan}
          description={t.tanHint}
          value={tan}
          required
          withAsterisk={false}
          autoComplete="one-time-code"
          spellCheck={false}
          onChange={(event) => {
            setTan(event.currentTarget.value);
          }}
        />
        <Failure error={error} />
        <div className={classes.line}>
          <Button type="submit" variant="default" loading={isSending}>
            {t.send}
          </Button>
        </div>
      </form>
      <h3 className={classes.heading}>{t.attempts}</h3>
      <div role="log" aria-label={t.attempts}>
        {attempts.length === 0 ? (
          <p className={classes.note}>{t.noAttempts}</p>
        ) : (
          <Attempts attempts={attempts} />
        )}
      </div>
    </Step>
  );
}

function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }): ReactNode {
  const t = useTexts(testBenchTexts);
  const format = useFormat();
  return (
    <ol className={classes.list}>
      {attempts.map(({ at, kind, isAccepted, failcount, meaning }) => (
        <li key={at} className={classes.attempt}>
          <div className={classes.line}>
            <Badge color={isAccepted ? 'green' : 'red'} variant="light">
              {t.kinds[kind]}
            </Badge>
            <span className={classes.note}>{format.time(at)}</span>
          </div>
          <p className={classes.plain}>{t.meanings[meaning]}</p>
          <p className={classes.note}>
            {t.serverSays} <Code>{JSON.stringify({ failcount, result: isAccepted })}</Code>
          </p>
        </li>
      ))}
    </ol>
  );
}

import { Button, Text } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { call, callWithDetail } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { Dialog, DialogBoundary } from '../design/dialog.tsx';
import { Failure } from '../design/failure.tsx';
import { SecretField } from '../design/secret-field.tsx';
import { useTexts } from '../language/language.ts';
import { type RequestedFactor, SecondStep } from '../sign-in/second-step.tsx';
import classes from '../sign-in/sign-in-page.module.css';
import { requestedFactor, usePasswordStep } from '../sign-in/use-password-step.ts';
import { confirmationTexts } from './confirmation-texts.ts';

/** A person who is asked to confirm. */
interface Question {
  readonly confirmed: () => void;
  readonly cancelled: () => void;
}

/** Runs acts that take a confirmed login. */
export interface Confirmation {
  /** Runs the act, once more after the person has confirmed, if the server wants that. */
  readonly run: <Result>(act: () => Promise<Result>) => Promise<Result>;
  /** To be shown on the page. */
  readonly dialog: ReactNode;
}

/** @returns a way to run acts that take a confirmed login */
export function useConfirmation(): Confirmation {
  const t = useTexts(confirmationTexts);
  const [question, setQuestion] = useState<Question>();
  const run = useCallback(
    async <Result,>(act: () => Promise<Result>): Promise<Result> => {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof ServerFailure) || !error.needsConfirmation) {
          throw error;
        }
      }
      try {
        await new Promise<void>((confirmed, reject) => {
          setQuestion({
            confirmed,
            cancelled: () => {
              reject(new Error(t.cancelled));
            },
          });
        });
      } finally {
        setQuestion(undefined);
      }
      return act();
    },
    [t],
  );
  const dialog = question !== undefined && (
    <DialogBoundary onClose={question.cancelled}>
      <ConfirmationDialog question={question} />
    </DialogBoundary>
  );
  return useMemo(() => ({ run, dialog }), [run, dialog]);
}

function ConfirmationDialog({
  question: { confirmed, cancelled },
}: {
  readonly question: Question;
}): ReactNode {
  const t = useTexts(confirmationTexts);
  const [factor, setFactor] = useState<RequestedFactor>();
  const restart = useCallback(() => {
    setFactor(undefined);
  }, []);
  return (
    <Dialog onClose={cancelled} title={t.title}>
      {factor === undefined ? (
        <PasswordStep onFactorRequested={setFactor} onDone={confirmed} />
      ) : (
        <SecondStep factor={factor} finish={finishConfirmation} onDone={confirmed} onRestart={restart} />
      )}
    </Dialog>
  );
}

async function finishConfirmation(proof: { response?: string; credential?: string }): Promise<boolean> {
  return (await call('/admin/confirmation/finish', proof)).is_confirmed;
}

/** @returns undefined: the password was enough */
async function beginConfirmation(password: string): Promise<RequestedFactor | undefined> {
  const { value, detail } = await callWithDetail('/admin/confirmation', { password });
  return value.is_confirmed ? undefined : requestedFactor(value, detail);
}

interface PasswordStepProps {
  readonly onFactorRequested: (factor: RequestedFactor) => void;
  readonly onDone: () => void;
}

function PasswordStep(props: PasswordStepProps): ReactNode {
  const t = useTexts(confirmationTexts);
  const step = usePasswordStep({ begin: beginConfirmation, ...props });
  return (
    <form className={classes.form} onSubmit={step.submit}>
      <Text>{t.lead}</Text>
      <Failure error={step.error} />
      <SecretField
        label={t.password}
        autoComplete="current-password"
        isFirst
        value={step.password}
        onChange={step.setPassword}
      />
      <Button type="submit" loading={step.isPending}>
        {t.go}
      </Button>
    </form>
  );
}

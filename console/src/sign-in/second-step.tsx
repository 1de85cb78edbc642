import { Button, Text, TextInput } from '@mantine/core';
import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useEffect, useState } from 'react';
import { ServerFailure } from '../api/server-failure.ts';
import { Failure } from '../design/failure.tsx';
import { QrCode } from '../design/qr-code.tsx';
import { useTexts } from '../language/language.ts';
import { secondStepTexts } from './second-step-texts.ts';
import classes from './sign-in-page.module.css';
import { assertPasskey, type PasskeyOptions } from './web-authn.ts';

/** A second factor that the server asks for. */
export type RequestedFactor =
  | { readonly kind: 'token'; readonly url: string }
  /** An authenticator app shows it by itself. */
  | { readonly kind: 'code' }
  | { readonly kind: 'passkey'; readonly options: PasskeyOptions };

/** The proof of a second factor; empty: has the app answered by itself? */
interface Proof {
  readonly response?: string;
  readonly credential?: string;
}

interface SecondStepProps {
  readonly factor: RequestedFactor;
  /**
   * @returns true if it is proven
   * @throws ServerFailure
   */
  readonly finish: (proof: Proof) => Promise<boolean>;
  readonly onDone: () => unknown;
  /** Begins again with the password. */
  readonly onRestart: () => void;
}

/** Milliseconds between questions whether the app has answered. */
const POLL_MS = 1_500;
/** Milliseconds for which the server takes a proof. Not by its clock, which this browser's may not follow. */
const LIFETIME_MS = 300_000;

/** Asks for the second factor: a QR code with a field for the TAN, a code of an authenticator app, or the passkey. */
export function SecondStep(props: SecondStepProps): ReactNode {
  const t = useTexts(secondStepTexts);
  const hasExpired = useExpired();
  if (hasExpired) {
    return (
      <>
        <Text role="alert">{t.expired}</Text>
        <Button onClick={props.onRestart}>{t.restart}</Button>
      </>
    );
  }
  switch (props.factor.kind) {
    case 'token':
      return <TokenStep {...props} url={props.factor.url} />;
    case 'code':
      return <TokenStep {...props} />;
    case 'passkey':
      return <PasskeyStep {...props} options={props.factor.options} />;
  }
}

function useExpired(): boolean {
  const [hasExpired, setExpired] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setExpired(true);
    }, LIFETIME_MS);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  return hasExpired;
}

interface TokenStepProps extends SecondStepProps {
  /** The content of the QR code; undefined: an authenticator app shows its code without one, and sends nothing. */
  readonly url?: string;
}

function TokenStep({ url, finish, onDone, onRestart }: TokenStepProps): ReactNode {
  const t = useTexts(secondStepTexts);
  const [tan, setTan] = useState('');
  const check = useMutation({ mutationFn: () => finish({ response: tan.replaceAll(/\s/g, '') }), gcTime: 0 });
  const answered = useQuery({
    queryKey: ['second-step', url],
    queryFn: url === undefined || check.isPending || check.data === true ? skipToken : () => finish({}),
    refetchInterval: ({ state }) => (isOver(state.error) ? false : POLL_MS),
    gcTime: 0,
    retry: false,
  });
  const isDone = check.data === true || answered.data === true;
  useEffect(() => {
    if (isDone) {
      onDone();
    }
  }, [isDone, onDone]);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    check.mutate();
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <Text>{url === undefined ? t.openApp : t.scan}</Text>
      {url !== undefined && <QrCode text={url} label={t.qrCode} />}
      <Failure error={isOver(answered.error) ? answered.error : check.error} />
      <TextInput
        label={url === undefined ? t.code : t.tan}
        description={url === undefined ? t.codeHint : t.tanHint}
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        withAsterisk={false}
        value={tan}
        onChange={(event) => {
          setTan(event.currentTarget.value);
        }}
      />
      <Button type="submit" loading={check.isPending}>
        {t.confirm}
      </Button>
      <Button variant="default" onClick={onRestart}>
        {t.restart}
      </Button>
    </form>
  );
}

/** True for a refusal of the step itself; an overload or a lost connection passes. */
function isOver(error: Error | null): boolean {
  return error !== null && !(error instanceof ServerFailure && (error.isAway || error.status === 429));
}

function PasskeyStep({
  options,
  finish,
  onDone,
  onRestart,
}: SecondStepProps & { readonly options: PasskeyOptions }): ReactNode {
  const t = useTexts(secondStepTexts);
  const assertion = useMutation({
    mutationFn: async () => {
      await finish({ credential: await assertPasskey(options) });
    },
    onSuccess: onDone,
    gcTime: 0,
  });
  const { error } = assertion;
  // The server takes one assertion for a challenge.
  const isOverNow = error instanceof ServerFailure && !error.isAway && error.status !== 429;
  return (
    <div className={classes.form}>
      <Text>{t.passkey}</Text>
      <Failure error={error instanceof DOMException ? new Error(t.noPasskey) : error} />
      {!isOverNow && (
        <Button
          autoFocus
          loading={assertion.isPending}
          onClick={() => {
            assertion.mutate();
          }}
        >
          {t.usePasskey}
        </Button>
      )}
      <Button variant="default" onClick={onRestart}>
        {t.restart}
      </Button>
    </div>
  );
}

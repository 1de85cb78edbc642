import { Alert, Button, PasswordInput, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useCallback, useEffect, useState } from 'react';
import { call, callWithDetail } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { useTexts } from '../language/language.ts';
import { OF_SIGN_IN } from '../session/login-queries.ts';
import { useSessionControl } from '../session/session.tsx';
import type { Arrival } from './arrival.ts';
import { keepWanted } from './take-arrival.ts';
import { type AskedFactor, SecondStep } from './second-step.tsx';
import { signInTexts } from './sign-in-texts.ts';
import classes from './sign-in-page.module.css';

interface SignInPageProps {
  /** The outcome of single sign-on, if that is why the console was opened. */
  readonly arrival?: Arrival | undefined;
}

/** Signs people in: by password and second factor, or at the provider. */
export function SignInPage({ arrival }: SignInPageProps): ReactNode {
  const t = useTexts(signInTexts);
  const { refresh } = useSessionControl();
  const [asked, setAsked] = useState<AskedFactor>();
  const restart = useCallback(() => {
    setAsked(undefined);
  }, []);
  useEffect(() => {
    document.title = `${t.title} · Tankeeper`;
  }, [t]);
  return (
    <main className={classes.page}>
      <div className={classes.form}>
        <Title order={1} size="h2">
          {asked === undefined ? t.title : t.secondFactor}
        </Title>
        {asked === undefined ? (
          <>
            <ProviderOutcome arrival={arrival} />
            <PasswordForm onAsked={setAsked} onDone={refresh} />
            <ProviderButton />
          </>
        ) : (
          <SecondStep asked={asked} finish={finishSignIn} onDone={refresh} onRestart={restart} />
        )}
      </div>
    </main>
  );
}

async function finishSignIn(proof: { response?: string; credential?: string }): Promise<boolean> {
  return (await call('/admin/sign-in/finish', proof)).signed_in;
}

/** @returns undefined: the password was enough */
async function beginSignIn(username: string, password: string): Promise<AskedFactor | undefined> {
  const { value, detail } = await callWithDetail('/admin/sign-in', { username, password });
  if (value.signed_in) {
    return undefined;
  }
  const { expires } = value;
  return value.second_factor === 'passkey'
    ? { kind: 'passkey', options: value.options, expires }
    : { kind: 'token', url: detail.data, expires };
}

interface PasswordFormProps {
  readonly onAsked: (asked: AskedFactor) => void;
  readonly onDone: () => unknown;
}

function PasswordForm({ onAsked, onDone }: PasswordFormProps): ReactNode {
  const t = useTexts(signInTexts);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => beginSignIn(name, password),
    onSuccess: (asked) => {
      if (asked !== undefined) {
        onAsked(asked);
        return undefined;
      }
      return onDone();
    },
    onSettled: () => {
      setPassword('');
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <Failure error={signIn.error} />
      <TextInput
        label={t.name}
        autoComplete="username"
        required
        withAsterisk={false}
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      <PasswordInput
        label={t.password}
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={password}
        onChange={(event) => {
          setPassword(event.currentTarget.value);
        }}
        visibilityToggleButtonProps={{ 'aria-label': t.showPassword }}
      />
      <Button type="submit" loading={signIn.isPending}>
        {t.signIn}
      </Button>
    </form>
  );
}

function ProviderOutcome({ arrival }: SignInPageProps): ReactNode {
  const t = useTexts(signInTexts);
  if (arrival?.kind !== 'single-sign-on') {
    return null;
  }
  const text = Object.hasOwn(t.outcomes, arrival.word) ? t.outcomes[arrival.word] : t.failed;
  return (
    <Alert color="red" role="alert">
      {text}
    </Alert>
  );
}

/** Leads to the provider, if there is one. */
function ProviderButton(): ReactNode {
  const t = useTexts(signInTexts);
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => call('/admin/sign-in/methods', {}, { signal }),
    meta: OF_SIGN_IN,
  });
  const open = useMutation({
    mutationFn: () => call('/admin/sign-in/oidc'),
    onSuccess: ({ url }) => {
      keepWanted();
      location.assign(url);
    },
    gcTime: 0,
  });
  if (methods.data?.single_sign_on !== true) {
    return null;
  }
  return (
    <>
      <span className={classes.or}>{t.or}</span>
      <Failure error={open.error} />
      <Button
        variant="default"
        loading={open.isPending || open.isSuccess}
        onClick={() => {
          open.mutate();
        }}
      >
        {t.singleSignOn(methods.data.provider)}
      </Button>
    </>
  );
}

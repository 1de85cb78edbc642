import { Alert, Button, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { call, callWithDetail } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { Failure } from '../design/failure.tsx';
import { InstallationName, usePageTitle, useSignInMethods } from '../design/installation.tsx';
import { SecretField } from '../design/secret-field.tsx';
import { useTexts } from '../language/language.ts';
import { useSessionControl } from '../session/session.tsx';
import type { Arrival } from './arrival.ts';
import { keepDestination } from './consume-arrival.ts';
import { type RequestedFactor, SecondStep } from './second-step.tsx';
import { signInTexts } from './sign-in-texts.ts';
import classes from './sign-in-page.module.css';
import { requestedFactor, usePasswordStep } from './use-password-step.ts';

interface SignInPageProps {
  /** The outcome of single sign-on, if that is why the console was opened. */
  readonly arrival?: Arrival | undefined;
}

const TOO_MANY = 429;

/** Signs people in: by password and second factor, or at the provider. */
export function SignInPage({ arrival }: SignInPageProps): ReactNode {
  const t = useTexts(signInTexts);
  const { refresh, owner } = useSessionControl();
  const [factor, setFactor] = useState<RequestedFactor>();
  const restart = useCallback(() => {
    setFactor(undefined);
  }, []);
  usePageTitle(t.title);
  return (
    <main className={classes.page}>
      <div className={classes.form}>
        <InstallationName />
        <Title order={1} size="h2">
          {factor === undefined ? t.title : t.secondFactor}
        </Title>
        {factor === undefined ? (
          <>
            {owner !== undefined && (
              <Alert color="yellow" role="status">
                {t.sessionEnded}
              </Alert>
            )}
            <ProviderOutcome arrival={arrival} />
            <PasswordForm onFactorRequested={setFactor} onDone={refresh} />
            <ProviderButton />
          </>
        ) : (
          <SecondStep factor={factor} finish={finishSignIn} onDone={refresh} onRestart={restart} />
        )}
      </div>
    </main>
  );
}

async function finishSignIn(proof: { response?: string; credential?: string }): Promise<boolean> {
  return (await call('/admin/sign-in/finish', proof)).is_signed_in;
}

interface PasswordFormProps {
  readonly onFactorRequested: (factor: RequestedFactor) => void;
  readonly onDone: () => unknown;
}

function PasswordForm(props: PasswordFormProps): ReactNode {
  const t = useTexts(signInTexts);
  const [name, setName] = useState('');
  const step = usePasswordStep({ begin: (password) => beginSignIn(name, password), ...props });
  return (
    <form className={classes.form} onSubmit={step.submit}>
      <Failure error={step.error} />
      {step.error instanceof ServerFailure && step.error.status === TOO_MANY && <Text>{t.help}</Text>}
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
      <SecretField
        label={t.password}
        autoComplete="current-password"
        value={step.password}
        onChange={step.setPassword}
      />
      <Button type="submit" loading={step.isPending}>
        {t.signIn}
      </Button>
    </form>
  );
}

/** @returns undefined: the password was enough */
async function beginSignIn(username: string, password: string): Promise<RequestedFactor | undefined> {
  const { value, detail } = await callWithDetail('/admin/sign-in', { username, password });
  return value.is_signed_in ? undefined : requestedFactor(value, detail);
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
  const methods = useSignInMethods();
  const open = useMutation({
    mutationFn: () => call('/admin/sign-in/oidc'),
    onSuccess: ({ url }) => {
      keepDestination();
      location.assign(url);
    },
    gcTime: 0,
  });
  if (methods.data?.has_single_sign_on !== true) {
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
